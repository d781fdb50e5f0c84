import { createPrivateKey, type KeyObject } from 'node:crypto';

export function isPkcs8(text: string): boolean {
  return /^-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(text);
}

/**
 * How much work decrypting is, by the key's own account: the numbers of its key derivation multiplied, which for PBKDF2
 * are the iterations and for scrypt N, r and p (RFC 8018 §A.2, RFC 7914 §7).
 */
export function pkcs8Work(text: string): number {
  const [, body = ''] = /^-----BEGIN ENCRYPTED PRIVATE KEY-----([^-]+)-----END/.exec(text) ?? [];
  const [info] = readDer(Buffer.from(body, 'base64'));
  const [algorithm] = readDer(info?.value ?? Buffer.alloc(0));
  return algorithm ? multiplied(algorithm) : 1;
}

interface Der {
  readonly tag: number;
  readonly value: Buffer;
}

const INTEGER = 0x02;
const SEQUENCE = 0x30;

function multiplied({ tag, value }: Der): number {
  if (tag === INTEGER) return Math.max(1, Number(`0x${value.toString('hex') || '0'}`));
  if (tag !== SEQUENCE) return 1;
  return readDer(value).reduce((product, element) => product * multiplied(element), 1);
}

/** The elements of a sequence; what is cut off is left out. */
function readDer(bytes: Buffer): Der[] {
  const elements: Der[] = [];
  for (let rest = bytes; rest.length >= 2; ) {
    const [tag = 0, first = 0] = rest;
    const length_bytes = first < 0x80 ? 0 : Math.min(first & 0x7f, 6);
    if (rest.length < 2 + length_bytes) break;
    const length = length_bytes === 0 ? first : rest.readUIntBE(2, length_bytes);
    const begin = 2 + length_bytes;
    elements.push({ tag, value: rest.subarray(begin, begin + length) });
    rest = rest.subarray(begin + length);
  }
  return elements;
}

/** An unencrypted PKCS#8 key in a form that ssh2 reads; throws what OpenSSL throws. */
export function rewritePkcs8(text: string): string {
  const key = createPrivateKey(text);
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
