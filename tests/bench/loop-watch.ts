import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayProcess } from './gateway-process.ts';

const RESOLUTION_MS = 5;
const LOOK_MS = 50;

/** Loaded before the gateway: on SIGUSR2 it prints how late the event loop was since the last time, and resets it. */
export const LOOP_WATCH = `data:text/javascript,${encodeURIComponent(`
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  const delay = monitorEventLoopDelay({ resolution: ${RESOLUTION_MS} });
  delay.enable();
  process.on('SIGUSR2', () => {
    const ms = (ns) => Math.max(0, ns / 1e6 - ${RESOLUTION_MS});
    const { max } = delay;
    console.log('loop ' + JSON.stringify({ p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(max) }));
    delay.reset();
  });
`)}`;

/** In milliseconds. */
export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Of a gateway with the watch, since the last call. */
export async function loopLateness(gateway: GatewayProcess): Promise<Lateness> {
  const told = () => gateway.output().split('\nloop ');
  const before = told().length;
  process.kill(gateway.pid, 'SIGUSR2');
  while (told()[before]?.includes('}') !== true) await pause(LOOK_MS);
  return JSON.parse(told()[before]?.split('\n')[0] ?? '');
}
