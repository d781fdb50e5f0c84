import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyAsker } from '#core/ports/ssh.ts';
import type { Sshd } from '../../../support/hosts/sshd.ts';
import { failureOf, targetTo, worker } from '../../setup.ts';

export const PASSPHRASE = 'open sesame';

export interface KeyFile {
  readonly key: string;
  /** A line for `authorized_keys`. */
  readonly public_key: string;
}

/** The files that ssh-keygen writes and converts. */
export function keygen(create: readonly string[], ...changes: readonly (readonly string[])[]): KeyFile {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-key-'));
  const file = join(folder, 'key');
  try {
    for (const options of [create, ...changes]) execFileSync('ssh-keygen', ['-q', '-f', file, ...options]);
    return { key: readFileSync(file, 'utf8'), public_key: readFileSync(`${file}.pub`, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An Ed25519 key in PKCS#8, which ssh-keygen does not write. */
export function pkcs8Ed25519(passphrase = ''): KeyFile {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const encryption = passphrase === '' ? {} : { cipher: 'aes-256-cbc', passphrase };
  const key = privateKey.export({ type: 'pkcs8', format: 'pem', ...encryption }).toString();
  return { key, public_key: ed25519Line(publicKey) };
}

function ed25519Line(key: KeyObject): string {
  const { x = '' } = key.export({ format: 'jwk' });
  const beginning = Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x20');
  return `ssh-ed25519 ${Buffer.concat([beginning, Buffer.from(x, 'base64url')]).toString('base64')}\n`;
}

/** A key that PuTTYgen 0.78 generated for these tests, or its export. */
export function puttyKey(name: string): string {
  return readFileSync(new URL(`putty-keys/${name}`, import.meta.url), 'utf8');
}

export async function assertReadable(key: string, passphrase = '', asker?: KeyAsker): Promise<void> {
  await worker().private_keys.assertReadable(key, passphrase, asker);
}

/** The same key with another number of bcrypt rounds, which follows the 16-byte salt in a string of 24. */
export function withRounds(key: string, rounds: number): string {
  const [begin, ...lines] = key.trim().split('\n');
  const end = lines.pop();
  const blob = Buffer.from(lines.join(''), 'base64');
  blob.writeUInt32BE(rounds, blob.indexOf(Buffer.from([0, 0, 0, 24, 0, 0, 0, 16])) + 24);
  return [begin, blob.toString('base64'), end].join('\n');
}

/** The result if it needs no turn of the event loop: no process and no waiting. */
export function atOnce<T>(work: Promise<T>): Promise<T | 'later'> {
  return Promise.race([work, new Promise<'later'>((resolve) => setImmediate(() => resolve('later')))]);
}

/** A valid RSA key of 8192 bits, which takes half a minute to generate. */
export function rsa8192(): string {
  return readFileSync(new URL('rsa-8192.pem', import.meta.url), 'utf8');
}

/** Why a key is refused, as a client sees it. */
export async function reason(key: string, passphrase = ''): Promise<string> {
  const { code, detail } = await failureOf(assertReadable(key, passphrase));
  return code === 'unreadable_private_key' ? detail : code;
}

export async function signIn(sshd: Sshd, private_key: string, passphrase = '') {
  const auth = { method: 'key', private_key, passphrase } as const;
  return worker().prober.test(targetTo(sshd, { auth }));
}
