import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface SshAccess {
  readonly port: number;
  readonly username: string;
  readonly key: string;
}

export function sshOptions({ key }: Pick<SshAccess, 'key'>): string[] {
  const options = [
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
  ];
  return ['-F', 'none', '-i', key, ...options.flatMap((option) => ['-o', option])];
}

export interface Used {
  readonly seconds: number;
  /** Processor time, user and system. */
  readonly cpu_s: number;
}

// bash counts the processes that a program has waited for, as `sftp` does for its `ssh`.
const COUNTED = 'TIMEFORMAT="%U %S"; { time "$@" 2>&4; } 4>&2 2>&3';

/** What `sftp` and its `ssh` take for these commands, connecting included; it writes no files. */
export async function sftp(access: SshAccess, commands: string): Promise<Used> {
  const { port, username } = access;
  const args = ['-q', ...sshOptions(access), '-P', String(port), '-b', '-', `${username}@127.0.0.1`];
  const child = spawn('bash', ['-c', COUNTED, 'bash', 'sftp', ...args], {
    stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
  });
  const started = performance.now();
  let counted = '';
  child.stdio[3]?.on('data', (text) => {
    counted += text;
  });
  child.stdin?.end(`${commands}\n`);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`sftp ended with ${code}`);
  const seconds = (performance.now() - started) / 1000;
  return { seconds, cpu_s: counted.split(' ').reduce((sum, one) => sum + Number(one), 0) };
}

/** Seconds that curl takes to download into /dev/null. */
export function curlGet(url: string, token: string): Promise<number> {
  return curl(['-o', '/dev/null', url], token);
}

/** Seconds that curl takes to send files as a form. */
export function curlPost(url: string, token: string, ...paths: readonly string[]): Promise<number> {
  return curl(['-o', '/dev/null', ...paths.flatMap((path) => ['-F', `files=@${path}`]), url], token);
}

function curl(args: readonly string[], token: string): Promise<number> {
  return timed('curl', ['-sSf', '-H', '@-', ...args], `Authorization: Bearer ${token}\n`);
}

async function timed(command: string, args: string[], input: string): Promise<number> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(input);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return (performance.now() - started) / 1000;
}
