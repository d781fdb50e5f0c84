import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atExit } from '../../at-exit.ts';
import { eventually } from '../../eventually.ts';
import { shadowHash } from '../accounts.ts';
import type { Sshd } from '../sshd.ts';
import { freePort } from '../tcp.ts';

const PROFTPD = '/usr/sbin/proftpd';
const PROFTPD_SFTP = '/usr/lib/proftpd/mod_sftp.so';
const TWISTED = '/usr/lib/python3/dist-packages/twisted/conch/unix.py';
const TWISTED_HOST = new URL('./twisted-host.py', import.meta.url).pathname;

/** Whether this software is installed; the test run installs it where it may. */
export const has_proftpd = existsSync(PROFTPD) && existsSync(PROFTPD_SFTP);
export const has_twisted = existsSync(TWISTED);

/** Another SFTP server for the account of an sshd. */
export interface ForeignHost {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Owned by the account. */
  readonly folder: string;
  readonly uid: number;
  stop(): Promise<void>;
}

/** ProFTPD with mod_sftp. */
export async function startProftpd(sshd: Sshd, config: readonly string[]): Promise<ForeignHost> {
  const { base, key, folder } = makeBase(sshd);
  const port = await freePort();
  const users = join(base, 'users');
  const { username, uid } = sshd;
  writeFileSync(users, `${username}:${await shadowHash(sshd.password)}:${uid}:${uid}::${folder}:/bin/bash\n`);
  chmodSync(users, 0o600);
  const config_path = join(base, 'proftpd.conf');
  const lines = [
    'ModulePath /usr/lib/proftpd',
    'LoadModule mod_sftp.c',
    'ServerName test',
    'ServerType standalone',
    `Port ${port}`,
    'DefaultAddress 127.0.0.1',
    'SocketBindTight on',
    'UseIPv6 off',
    `User ${username}`,
    `Group ${username}`,
    `PidFile ${base}/pid`,
    `ScoreboardFile ${base}/scoreboard`,
    'DelayEngine off',
    'WtmpLog off',
    'TransferLog none',
    'AuthOrder mod_auth_file.c',
    `AuthUserFile ${users}`,
    'RequireValidShell off',
    'SFTPEngine on',
    `SFTPHostKey ${key}`,
    'SFTPAuthMethods password',
    ...config,
  ];
  writeFileSync(config_path, `${lines.join('\n')}\n`);
  const child = killedOnExit(spawn(PROFTPD, ['-n', '-c', config_path], { stdio: 'ignore' }));
  await accepts(child, port);
  return { port, username, password: sshd.password, folder, uid, stop: () => stop(child, base) };
}

/** Twisted Conch. */
export async function startTwisted(sshd: Sshd): Promise<ForeignHost> {
  const { base, key, folder } = makeBase(sshd);
  const port = await freePort();
  const { username, password, uid } = sshd;
  const args = [TWISTED_HOST, String(port), key, username, password];
  const child = killedOnExit(spawn('/usr/bin/python3', args, { stdio: ['ignore', 'pipe', 'ignore'] }));
  await line(child, child.stdout, 'listening');
  return { port, username, password, folder, uid, stop: () => stop(child, base) };
}

function makeBase({ private_key, uid }: Sshd) {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-foreign-'));
  chmodSync(base, 0o755);
  const [key, folder] = [join(base, 'key'), join(base, 'files')];
  writeFileSync(key, private_key, { mode: 0o600 });
  mkdirSync(folder);
  chownSync(folder, uid, uid);
  return { base, key, folder };
}

function line(child: ChildProcess, output: NodeJS.ReadableStream, text: string): Promise<void> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    createInterface({ input: output }).on('line', (one) => {
      lines.push(one);
      if (one.includes(text)) resolve();
    });
    child.once('exit', () => reject(new Error(`It ended:\n${lines.join('\n')}`)));
  });
}

/** It does not report that it listens. */
async function accepts(child: ChildProcess, port: number): Promise<void> {
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error('It ended');
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
}

/** A hook that fails must not leave it running. */
function killedOnExit<T extends ChildProcess>(child: T): T {
  const callOff = atExit(() => child.kill('SIGKILL'));
  child.once('exit', callOff);
  return child;
}

async function stop(child: ChildProcess, base: string): Promise<void> {
  const ended = child.exitCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGTERM');
  await ended;
  rmSync(base, { recursive: true, force: true });
}
