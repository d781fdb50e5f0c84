import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Sshd } from '../../support/hosts/sshd.ts';

let folders = 0;

/** A fresh directory on the host for the files of a script, owned by the account by default. */
export function plant(sshd: Sshd, script = '', owner = sshd.username): string {
  folders += 1;
  const path = join(sshd.folder, `tree-${folders}`);
  mkdirSync(path);
  execFileSync('bash', ['--norc', '-euc', script], { cwd: path });
  execFileSync('chown', ['-Rh', `${owner}:`, path]);
  return path;
}

/** A path that contains bytes that are not UTF-8. */
export function pathOf(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
}

/** Names known to break programs, with what each could be taken for. */
export const HOSTILE_NAMES = [
  'new\nline',
  'carriage\rreturn',
  '"quoted" \'twice\' `back`',
  '\u202etxt.exe',
  'a..b',
  '..hidden',
  '...',
  '-rf',
  '--help',
  ' spaces at both ends ',
  'tab\tin it',
  '日本語 🎉',
  'e\u0301',
  'back\\slash',
  'C:',
  '%2e%2e%2f',
  '$(touch pwned)',
  '*',
  '~',
  'x'.repeat(255),
  'é'.repeat(127),
  '\u0001\u001b[31m',
];
