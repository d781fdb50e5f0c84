import type {
  Algorithms,
  CipherAlgorithm,
  CompressionAlgorithm,
  KexAlgorithm,
  MacAlgorithm,
  ServerHostKeyAlgorithm,
} from 'ssh2';
import type { AlgorithmSet } from '#core/model/hosts/server.ts';
import type { SshHop } from '#core/ports/ssh.ts';
import { SUPPORTED } from '../internals/supported.ts';

export interface Proposal {
  readonly kex: readonly KexAlgorithm[];
  readonly host_key: readonly ServerHostKeyAlgorithm[];
  readonly cipher: readonly CipherAlgorithm[];
  readonly mac: readonly MacAlgorithm[];
}

// Compression costs more time than it saves, and a hostile host could send a decompression bomb.
export const COMPRESSION: readonly CompressionAlgorithm[] = ['none'];

// OpenSSH's defaults, as far as ssh2 supports them, without group exchange: the host would choose the group.
const DEFAULT: Proposal = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
  ],
  host_key: [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  // Fastest first: AES-GCM is a single pass in hardware. The last one is refused without strict key exchange.
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-ctr',
    'aes192-ctr',
    'aes256-ctr',
    'chacha20-poly1305@openssh.com',
  ],
  mac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
};

const LEGACY_ONLY: Proposal = {
  kex: [
    'diffie-hellman-group14-sha1',
    'diffie-hellman-group1-sha1',
    // Last: most hosts propose groups of their own, which are refused.
    'diffie-hellman-group-exchange-sha256',
    'diffie-hellman-group-exchange-sha1',
  ],
  host_key: ['ssh-rsa', 'ssh-dss'],
  cipher: ['aes128-cbc', 'aes192-cbc', 'aes256-cbc', '3des-cbc'],
  mac: ['hmac-sha1-etm@openssh.com', 'hmac-sha1', 'hmac-sha1-96', 'hmac-md5'],
};

const PROPOSALS: Readonly<Record<AlgorithmSet, Proposal>> = {
  default: supported(DEFAULT),
  legacy: supported({
    kex: [...DEFAULT.kex, ...LEGACY_ONLY.kex],
    host_key: [...DEFAULT.host_key, ...LEGACY_ONLY.host_key],
    cipher: [...DEFAULT.cipher, ...LEGACY_ONLY.cipher],
    // Encrypt-then-MAC last: with CBC, it is refused without strict key exchange.
    mac: [...DEFAULT.mac, ...LEGACY_ONLY.mac].toSorted((a, b) => Number(isEtm(a)) - Number(isEtm(b))),
  }),
};

function isEtm(mac: MacAlgorithm): boolean {
  return mac.endsWith('-etm@openssh.com');
}

function supported({ kex, host_key, cipher, mac }: Proposal): Proposal {
  return {
    kex: kex.filter((name) => SUPPORTED.kex.has(name)),
    host_key: host_key.filter((name) => SUPPORTED.host_key.has(name)),
    cipher: cipher.filter((name) => SUPPORTED.cipher.has(name)),
    mac: mac.filter((name) => SUPPORTED.mac.has(name)),
  };
}

export function proposalOf(set: AlgorithmSet): Proposal {
  return PROPOSALS[set];
}

/** Kinds of known keys come first, so that a host with additional keys still presents a known one. */
export function algorithmsFor({ algorithms, known_host_keys }: SshHop): Algorithms {
  const { kex, host_key, cipher, mac } = proposalOf(algorithms);
  const kinds = known_host_keys.map(kindOf);
  const known = host_key.filter((algorithm) => kinds.some((kind) => signsWith(algorithm, kind)));
  const others = host_key.filter((algorithm) => !known.includes(algorithm));
  return {
    kex: [...kex],
    serverHostKey: [...known, ...others],
    cipher: [...cipher],
    hmac: [...mac],
    compress: [...COMPRESSION],
  };
}

/** RSA keys sign with three algorithms (RFC 8332); every other kind is named after its only one. */
function signsWith(algorithm: ServerHostKeyAlgorithm, kind: string): boolean {
  return algorithm === kind || (kind === 'ssh-rsa' && algorithm.startsWith('rsa-sha2-'));
}

/** The first string of a key blob names its kind (RFC 4253 §6.6). */
export function kindOf(host_key: string): string {
  const blob = Buffer.from(host_key, 'base64');
  return blob.length < 4 ? '' : blob.toString('latin1', 4, 4 + blob.readUInt32BE(0));
}
