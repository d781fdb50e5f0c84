import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PROXY = new URL('./delay-proxy.mjs', import.meta.url).pathname;

export interface Delay {
  readonly port: number;
  stop(): void;
}

/** A proxy to a local port that delays each byte, as a separate process. */
export async function startDelay(port: number, one_way_ms: number): Promise<Delay> {
  const child = spawn(process.execPath, [PROXY, String(port), String(one_way_ms)], {
    stdio: ['pipe', 'pipe', 'inherit'], // it ends with our end of its standard input
  });
  const [told] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { port: Number(told), stop: () => void child.kill() };
}
