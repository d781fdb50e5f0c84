import type { GatewayProcess } from '../../gateway-process.ts';
import { memory, quantileOf, type Row, row } from '../../measure.ts';
import { untilIdle } from '../../processor.ts';
import { type Fleet, firstOf } from './fleet.ts';
import { drop, echoTimes, type Line, openLine, openLines } from './sockets.ts';

const KEYS = 1000;
const WARM_UP_KEYS = 300;
const TERMINALS = 500;

/** Terminals that run on one instance while their sockets are at another one. */
export async function measureRelays({ run, host }: Fleet): Promise<Row[]> {
  return run(2, async (instances) => {
    const first = firstOf(instances);
    const other = instances[1] ?? first;
    const id = await first.addServer({ port: host.port, username: 'many', password: 'any' });
    const path = `${id}?cols=80&rows=24`;
    const direct = await openLine(first, path);
    const relayed = await moved(await openLine(first, path), other);
    const echo = await echoes(direct, relayed);
    const kept = await openLines(TERMINALS, () => openLine(first, path));
    await untilIdle(first.pid);
    const before = { first: memory.now(first.pid), other: memory.now(other.pid) };
    const away = await openLines(kept.length, async (i) => moved(kept[i] ?? relayed, other));
    await untilIdle(other.pid);
    const grown = (gateway: GatewayProcess, from: number) =>
      ((memory.now(gateway.pid) - from) * 1024) / TERMINALS;
    const here = grown(first, before.first);
    const there = grown(other, before.other);
    for (const { socket } of [direct, relayed, ...away]) socket.terminate();
    return [
      row('key echo through another instance, p50, against direct', 'µs', { ...echo.p50, want: '<= 2' }),
      row('key echo through another instance, p99, against direct', 'µs', { ...echo.p99, want: '' }),
      row('memory per relayed terminal, more on the instance that runs it', 'KiB', { ours: here, want: '' }),
      row('memory per relayed terminal, on the instance that relays it', 'KiB', { ours: there, want: '' }),
    ];
  });
}

/** The same shell, resumed at another instance, which relays it. */
async function moved(line: Line, to: GatewayProcess): Promise<Line> {
  await drop(line);
  return openLine(to, `resume/${line.session_id}?offset=2&cols=80&rows=24`, true);
}

async function echoes(direct: Line, relayed: Line) {
  await echoTimes(direct, WARM_UP_KEYS);
  await echoTimes(relayed, WARM_UP_KEYS);
  const [theirs, ours] = [await echoTimes(direct, KEYS), await echoTimes(relayed, KEYS)];
  const at = (quantile: number) => ({
    theirs: quantileOf(theirs, quantile),
    ours: quantileOf(ours, quantile),
  });
  return { p50: at(0.5), p99: at(0.99) };
}
