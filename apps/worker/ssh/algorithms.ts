import type { Algorithms, CipherAlgorithm, ServerHostKeyAlgorithm } from 'ssh2';

// Fastest first: AES-GCM is one pass in hardware; compression costs more than it saves.
const CIPHERS: CipherAlgorithm[] = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'chacha20-poly1305@openssh.com',
  'aes128-ctr',
  'aes192-ctr',
  'aes256-ctr',
];

const HOST_KEYS: ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
  'ssh-rsa',
];

/** The kind of the pinned key comes first: a host that has since got a newer one still shows the one we know. */
export function algorithmsFor(host_key: string | null): Algorithms {
  const kind = host_key === null ? undefined : kindOf(host_key);
  const known = HOST_KEYS.filter((algorithm) => signs(algorithm, kind));
  const others = HOST_KEYS.filter((algorithm) => !signs(algorithm, kind));
  return { cipher: CIPHERS, compress: ['none'], serverHostKey: [...known, ...others] };
}

/** RSA keys are signed with by three algorithms (RFC 8332); every other kind is named like its one. */
function signs(algorithm: ServerHostKeyAlgorithm, kind: string | undefined): boolean {
  return algorithm === kind || (kind === 'ssh-rsa' && algorithm.startsWith('rsa-sha2-'));
}

/** The first string of a key blob names its kind (RFC 4253 §6.6). */
function kindOf(host_key: string): string {
  const blob = Buffer.from(host_key, 'base64');
  return blob.length < 4 ? '' : blob.toString('latin1', 4, 4 + blob.readUInt32BE(0));
}
