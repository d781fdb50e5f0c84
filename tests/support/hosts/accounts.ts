import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const locked = (...command: string[]) => run('flock', ['/tmp/sallyport-test.lock', ...command]);

export interface SystemAccount {
  readonly username: string;
  readonly password: string;
  remove(): Promise<void>;
}

export interface AccountOptions {
  /** `/bin/bash` by default. */
  readonly shell?: string;
  readonly bashrc?: string;
  readonly password_expired?: boolean;
}

/** An account of this machine with its own home. */
export async function addAccount(options: AccountOptions): Promise<SystemAccount> {
  const { shell = '/bin/bash', bashrc, password_expired = false } = options;
  const username = `sp-${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  const home = join('/tmp', username);
  await mkdir(home);
  if (bashrc !== undefined) await writeFile(join(home, '.bashrc'), bashrc);
  await locked(
    'useradd',
    ...[
      '--no-create-home',
      '--home-dir',
      home,
      '--shell',
      shell,
      '--password',
      await shadowHash(password),
      username,
    ],
  );
  if (password_expired) await locked('chage', '--lastday', '0', username);
  return {
    username,
    password,
    async remove() {
      await locked('userdel', '--remove', '--force', username);
    },
  };
}

/** The form of `/etc/shadow`. */
export async function shadowHash(password: string): Promise<string> {
  const { stdout } = await run('openssl', ['passwd', '-6', password]);
  return stdout.trim();
}
