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

/** Seconds that `sftp get` takes into /dev/null, connecting included. */
export function sftpGet(access: SshAccess, path: string): Promise<number> {
  const args = [
    '-q',
    ...sshOptions(access),
    '-P',
    String(access.port),
    '-b',
    '-',
    `${access.username}@127.0.0.1`,
  ];
  return timed('sftp', args, `get ${path} /dev/null\n`);
}

/** Seconds that curl takes into /dev/null. */
export function curlGet(url: string, token: string): Promise<number> {
  return timed('curl', ['-sSf', '-o', '/dev/null', '-H', '@-', url], `Authorization: Bearer ${token}\n`);
}

async function timed(command: string, args: string[], input: string): Promise<number> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(input);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return (performance.now() - started) / 1000;
}
