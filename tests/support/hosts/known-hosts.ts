import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The `ssh-keyscan` output for a host on 127.0.0.1, ed25519 and RSA, without its comments. */
export async function scanHost(port: number): Promise<string> {
  const { stdout } = await run('ssh-keyscan', ['-p', String(port), '-t', 'ed25519,rsa', '127.0.0.1']);
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return `${lines.join('\n')}\n`;
}

/** The same text with its names hashed by `ssh-keygen -H`. */
export async function hashed(known_hosts: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-known-hosts-'));
  const path = join(folder, 'known_hosts');
  try {
    await writeFile(path, known_hosts);
    await run('ssh-keygen', ['-H', '-f', path]);
    return await readFile(path, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same keys under other names. */
export function renamed(known_hosts: string, names: string): string {
  return known_hosts.replace(/^\S+/gm, names);
}
