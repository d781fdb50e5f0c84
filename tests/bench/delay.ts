import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PROXY = new URL('./delay-proxy.mjs', import.meta.url).pathname;

/** A proxy to a local port as a separate process. */
export interface Forwarder {
  readonly port: number;
  stop(): void;
}

/** Delays each byte. */
export function startDelay(port: number, one_way_ms: number): Promise<Forwarder> {
  return startForwarder(PROXY, [port, one_way_ms]);
}

export async function startForwarder(program: string, args: readonly number[]): Promise<Forwarder> {
  const child = spawn(process.execPath, [program, ...args.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'], // it ends with our end of its standard input
  });
  const [told] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { port: Number(told), stop: () => void child.kill() };
}
