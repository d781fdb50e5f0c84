import { execFile } from 'node:child_process';
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
