import type { JsonWebKey } from 'node:crypto';
import { damaged, type KeyText, pemBytes } from './key-text.ts';
import { readWire, wireString, wireUint32 } from './wire.ts';

const MAGIC = 'openssh-key-v1\0';

/** The fields of an `openssh-key-v1` file (OpenSSH's PROTOCOL.key). */
export interface OpensshFile {
  readonly cipher: string;
  /** Rounds of bcrypt, which derives the key from the passphrase. */
  readonly rounds: number;
  readonly salt: Buffer;
  readonly kind: string;
  readonly public_blob: Buffer;
  readonly private_part: Buffer;
  /** Empty unless the cipher authenticates. */
  readonly tag: Buffer;
}

export function readOpensshFile(key_text: KeyText): OpensshFile {
  const blob = pemBytes(key_text);
  if (!blob.subarray(0, MAGIC.length).equals(Buffer.from(MAGIC))) throw damaged(key_text);
  try {
    return readFields(blob.subarray(MAGIC.length));
  } catch (cause) {
    throw damaged(key_text, undefined, cause);
  }
}

const TAG_BYTES = 16; // appended by authenticated ciphers

function readFields(bytes: Buffer): OpensshFile {
  const wire = readWire(bytes);
  const [cipher, kdf, options] = [algorithmName(wire.string()), algorithmName(wire.string()), wire.string()];
  const keys = wire.uint32();
  const public_blob = wire.string();
  const private_part = wire.string();
  const left = wire.left();
  if (keys !== 1 || (left !== 0 && left !== TAG_BYTES)) throw new RangeError('Not one key');
  if ((kdf === 'none') !== (cipher === 'none')) throw new RangeError('Half encrypted');
  const kind = algorithmName(readWire(public_blob).string());
  const { salt, rounds } = kdf === 'none' ? UNSTRETCHED : stretchingOf(options);
  const tag = bytes.subarray(bytes.length - left);
  return { cipher, rounds, salt, kind, public_blob, private_part, tag };
}

type Stretching = Pick<OpensshFile, 'salt' | 'rounds'>;
const UNSTRETCHED: Stretching = { salt: Buffer.alloc(0), rounds: 0 };

function stretchingOf(options: Buffer): Stretching {
  const wire = readWire(options);
  return { salt: wire.string(), rounds: wire.uint32() };
}

/** An algorithm name, which is safe to show in messages. */
function algorithmName(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (!/^[a-z0-9@.-]{1,64}$/.test(text)) throw new RangeError('Not a name');
  return text;
}

/** Writes an unencrypted Ed25519 key, for which there is no older PEM format. */
export function writeEd25519({ x = '', d = '' }: JsonWebKey): string {
  const public_bytes = Buffer.from(x, 'base64url');
  const public_blob = Buffer.concat([wireString('ssh-ed25519'), wireString(public_bytes)]);
  const check = Buffer.alloc(8); // two equal numbers that detect a wrong passphrase; unused without encryption
  const halves = Buffer.concat([Buffer.from(d, 'base64url'), public_bytes]);
  const private_part = pad(Buffer.concat([check, public_blob, wireString(halves), wireString('')]));
  return writePlainKey(public_blob, private_part);
}

/** The text of an unencrypted key. */
export function writePlainKey(public_blob: Buffer, private_part: Buffer): string {
  const blob = Buffer.concat([
    Buffer.from(MAGIC),
    ...[wireString('none'), wireString('none'), wireString('')],
    wireUint32(1),
    wireString(public_blob),
    wireString(private_part),
  ]);
  const lines = blob.toString('base64').replace(/(.{70})(?=.)/g, '$1\n');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----`;
}

const CIPHER_BLOCK = 8;

function pad(bytes: Buffer): Buffer {
  const missing = (CIPHER_BLOCK - (bytes.length % CIPHER_BLOCK)) % CIPHER_BLOCK;
  return Buffer.concat([bytes, Buffer.from(Array.from({ length: missing }, (_, index) => index + 1))]);
}
