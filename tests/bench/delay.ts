import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PROXY = new URL('./delay-proxy.mjs', import.meta.url).pathname;

export interface Delay {
  readonly port: number;
  stop(): void;
}

/** The way to a local port, with each byte so much later; in a process of its own. */
export async function startDelay(port: number, one_way_ms: number): Promise<Delay> {
  const child = spawn(process.execPath, [PROXY, String(port), String(one_way_ms)], {
    stdio: ['pipe', 'pipe', 'inherit'], // it ends with our end of its standard input
  });
  const [told] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { port: Number(told), stop: () => void child.kill() };
}
