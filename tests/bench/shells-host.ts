import { spawn } from 'node:child_process';
import { once } from 'node:events';

const HOST = new URL('./shells-host.mjs', import.meta.url).pathname;

export interface ShellsHost {
  readonly port: number;
  stop(): void;
}

/** An SSH host for thousands of shells, as a separate process; sshd would need three processes for each. */
export async function startShellsHost(): Promise<ShellsHost> {
  const child = spawn(process.execPath, [HOST], {
    stdio: ['pipe', 'pipe', 'inherit'], // it ends with our end of its standard input
  });
  const [told] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { port: Number(told), stop: () => void child.kill() };
}
