import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface KeyPair {
  readonly private_key: string;
  readonly public_key: string;
}

const kept = new Map<string, Promise<KeyPair>>();

/** A key pair that `ssh-keygen` generates once per process: some types take long. */
export function keptKey(name: string, options: readonly string[]): Promise<KeyPair> {
  const made = kept.get(name) ?? createKey(options);
  kept.set(name, made);
  return made;
}

const BLOCK_BYTES = 8;
const LINE = /.{1,70}/g;

/** An ed25519 key pair in OpenSSH's format, made in this process: starting `ssh-keygen` takes ten times as long. */
export function createEd25519Key(): KeyPair {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [own, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')];
  const blob = packed('ssh-ed25519', own);
  const secret = Buffer.concat([Buffer.alloc(8), blob, packed(Buffer.concat([seed, own]), '')]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7]).subarray(0, -secret.length & (BLOCK_BYTES - 1));
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    packed('none', 'none', ''), // neither cipher nor key derivation
    Buffer.from([0, 0, 0, 1]), // one key
    packed(blob, Buffer.concat([secret, padding])),
  ]);
  const lines = file.toString('base64').match(LINE)?.join('\n');
  return {
    private_key: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`,
    public_key: `ssh-ed25519 ${blob.toString('base64')}\n`,
  };
}

/** SSH strings: each after its length. */
function packed(...parts: readonly (string | Buffer)[]): Buffer {
  const strings = parts.flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(part));
    return [length, Buffer.from(part)];
  });
  return Buffer.concat(strings);
}

/** Throws the message of `ssh-keygen` when it refuses. */
export async function createKey(options: readonly string[]): Promise<KeyPair> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-key-'));
  const path = join(folder, 'key');
  await run('ssh-keygen', ['-q', ...options, '-f', path]);
  const [private_key, public_key] = await Promise.all([
    readFile(path, 'utf8'),
    readFile(`${path}.pub`, 'utf8'),
  ]);
  await rm(folder, { recursive: true });
  return { private_key, public_key };
}

/** As files in OpenSSH's layout: `path` and `path`.pub. */
export async function writeKey(path: string, { private_key, public_key }: KeyPair): Promise<void> {
  await writeFile(path, private_key, { mode: 0o600 });
  await writeFile(`${path}.pub`, public_key);
}
