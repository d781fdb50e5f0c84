import { createPrivateKey, type KeyObject } from 'node:crypto';

export function isPkcs8(text: string): boolean {
  return /^-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(text);
}

/** A PKCS#8 key, decrypted, in a form that ssh2 reads; throws what OpenSSL throws. */
export function rewritePkcs8(text: string, passphrase: string): string {
  const key = createPrivateKey({ key: text, passphrase });
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return key.export({ type: 'pkcs1', format: 'pem' }).toString();
    case 'ec':
      return key.export({ type: 'sec1', format: 'pem' }).toString();
    case 'ed25519':
      return toOpenSsh(key);
    default:
      throw new Error(`Unsupported key type ${key.asymmetricKeyType}`);
  }
}

/** Ed25519 has no older PEM form: `openssh-key-v1` after OpenSSH's PROTOCOL.key. */
function toOpenSsh(key: KeyObject): string {
  const { x = '', d = '' } = key.export({ format: 'jwk' });
  const public_bytes = Buffer.from(x, 'base64url');
  const public_blob = Buffer.concat([string('ssh-ed25519'), string(public_bytes)]);
  const check = Buffer.alloc(8); // two equal numbers that prove a decryption; nothing is encrypted here
  const private_part = pad(
    Buffer.concat([
      check,
      public_blob,
      string(Buffer.concat([Buffer.from(d, 'base64url'), public_bytes])),
      string(''),
    ]),
  );
  const blob = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[string('none'), string('none'), string('')],
    uint32(1),
    string(public_blob),
    string(private_part),
  ]);
  const lines = blob.toString('base64').replace(/(.{70})(?=.)/g, '$1\n');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----`;
}

const CIPHER_BLOCK = 8;

function pad(bytes: Buffer): Buffer {
  const missing = (CIPHER_BLOCK - (bytes.length % CIPHER_BLOCK)) % CIPHER_BLOCK;
  return Buffer.concat([bytes, Buffer.from(Array.from({ length: missing }, (_, index) => index + 1))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function string(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}
