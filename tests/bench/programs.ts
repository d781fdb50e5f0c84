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

/** Seconds that `sftp` takes for its commands, connecting included; it writes no files. */
export function sftp(access: SshAccess, commands: string): Promise<number> {
  const { port, username } = access;
  const args = ['-q', ...sshOptions(access), '-P', String(port), '-b', '-', `${username}@127.0.0.1`];
  return timed('sftp', args, `${commands}\n`);
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
