import { setTimeout as pause } from 'node:timers/promises';
import { loopLateness } from '../../loop-watch.ts';
import { memory, quantileOf, type Row, row } from '../../measure.ts';
import { cpuSeconds, cpuWhile, untilIdle } from '../../processor.ts';
import { type Fleet, firstOf } from './fleet.ts';
import { drop, echoTimes, openLine, openLines } from './sockets.ts';

const TERMINALS = 2000;
const SERVERS = 20;
const RESUMED = 200;
const KEYS = 1000;
const WATCH_S = 30; // two keep-alives of each connection

/** Two thousand terminals on one instance. */
export async function measureTerminals({ run, host }: Fleet): Promise<Row[]> {
  return run(1, async (instances) => {
    const gateway = firstOf(instances);
    const ids: number[] = [];
    for (let at = 0; at < SERVERS; at += 1)
      ids.push(await gateway.addServer({ port: host.port, username: 'many', password: 'any' }, `many ${at}`));
    const path = (i: number) => `${ids[i % ids.length]}?cols=80&rows=24`;
    const warm = await openLines(SERVERS, (i) => openLine(gateway, path(i)));
    for (const { socket } of warm) socket.close(1000);
    await untilIdle(gateway.pid);
    const before = memory.now(gateway.pid);
    const [began_ms, began_cpu] = [performance.now(), cpuSeconds(gateway.pid)];
    const lines = await openLines(TERMINALS, (i) => openLine(gateway, path(i)));
    const seconds = (performance.now() - began_ms) / 1000;
    const cpu_ms = ((cpuSeconds(gateway.pid) - began_cpu) * 1000) / TERMINALS;
    await untilIdle(gateway.pid);
    const [first] = lines;
    if (!first) throw new Error('No terminal was opened');
    const idle_kib = ((memory.now(gateway.pid) - before) * 1024) / TERMINALS;
    await loopLateness(gateway); // ignores the opening
    const idle = await cpuWhile(gateway.pid, () => pause(WATCH_S * 1000));
    let echo: number[] = [];
    const typing = await cpuWhile(gateway.pid, async () => {
      echo = await echoTimes(first, KEYS);
    });
    const late = await loopLateness(gateway);
    const settled = memory.now(gateway.pid);
    const dropped = lines.splice(0, RESUMED);
    for (const line of dropped) await drop(line);
    lines.push(
      ...(await openLines(RESUMED, (i) =>
        openLine(gateway, `resume/${dropped[i]?.session_id}?offset=2&cols=80&rows=24`, true),
      )),
    );
    await untilIdle(gateway.pid);
    const resumed_kib = ((memory.now(gateway.pid) - settled) * 1024) / RESUMED;
    for (const { socket } of lines) socket.terminate();
    return [
      row('2,000 terminals on one instance, opened', '/s', { ours: TERMINALS / seconds, want: '' }),
      row('processor time to open one', 'ms', { ours: cpu_ms, want: '' }),
      row('memory per idle terminal, of 2,000', 'KiB', { ours: idle_kib, want: '<= 110' }),
      row('more memory per resumed terminal', 'KiB', { ours: resumed_kib, want: '' }),
      row('processor time of 1,000 idle terminals, a second', 'ms', {
        ours: (idle * 1000) / WATCH_S / (TERMINALS / 1000),
        want: '',
      }),
      row('processor time of a key and its echo', 'µs', { ours: (typing * 1e6) / KEYS, want: '' }),
      row('key echo beside 2,000 terminals, p50', 'µs', { ours: quantileOf(echo, 0.5), want: '' }),
      row('key echo beside 2,000 terminals, p99', 'µs', { ours: quantileOf(echo, 0.99), want: '' }),
      row('event loop beside 2,000 terminals, p99', 'ms', { ours: late.p99, want: '<= 50' }),
    ];
  });
}
