import { inTurn } from '../compare.ts';
import { median, quantileOf, type Row, row } from '../measure.ts';
import type { Scene } from '../scene.ts';
import { openGatewayTerminal, openSshTerminal, type Terminal } from '../terminal-clients.ts';
import { ready, receives, sees } from '../terminal-shells.ts';

const RUNS = 3;
const KEYS = 2000;
const KEYS_IN_TURN = 50;
const WARM_UP_KEYS = 500;
const KEYS_BESIDE_FLOOD = 500;
const BEGUN_BYTES = 4 * 1024 * 1024;

type Open = () => Promise<Terminal>;

/** From a key to its echo, alone and next to a flood. */
export async function measureEcho({ gateway, server_id, access }: Scene): Promise<Row[]> {
  const ssh = () => ready(openSshTerminal(access));
  const ours = () => ready(openGatewayTerminal(gateway, server_id));
  const echoes = await echoFigures([ssh, ours]);
  const figures = (quantile: number) => {
    const [theirs = 0, ours = 0] = echoes(quantile);
    return { theirs, ours };
  };
  const floods = await inTurn([besideFlood(ssh), besideFlood(ours)]);
  const beside = (quantile: number) => {
    const [theirs = 0, ours = 0] = floods.map((runs) =>
      median(runs.map((times) => quantileOf(times, quantile))),
    );
    return { theirs: theirs / 1000, ours: ours / 1000 };
  };
  return [
    row('key echo p50', 'µs', { ...figures(0.5), want: '<= 1.6' }),
    row('key echo p99', 'µs', { ...figures(0.99), want: '<= 2.0' }),
    row('key echo p50 beside a flood', 'ms', { ...beside(0.5), want: '<= 1.8' }),
    row('key echo p99 beside a flood', 'ms', { ...beside(0.99), want: '< 10 ms' }),
  ];
}

/** Quantiles of the echo in each terminal, in microseconds. */
export async function echoFigures(opens: readonly Open[]): Promise<(quantile: number) => number[]> {
  const terminals: Terminal[] = [];
  for (const open of opens) terminals.push(await echoing(open));
  for (const terminal of terminals) await echoTimes(terminal, WARM_UP_KEYS);
  const runs: number[][][] = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await echoTimesInTurn(terminals));
  for (const terminal of terminals) terminal.close();
  const medianOf = (side: number, quantile: number) =>
    median(runs.map((times) => quantileOf(times[side] ?? [], quantile)));
  return (quantile) => opens.map((_open, side) => medianOf(side, quantile));
}

/** A program that echoes each key, as an editor does. */
async function echoing(open: Open): Promise<Terminal> {
  const terminal = await open();
  const seen = sees(terminal, 'CAT-3');
  terminal.write('stty raw -echo; echo CAT-$((1 + 2)); exec cat\r');
  await seen;
  return terminal;
}

/** Microseconds in each terminal, with a few keys at a time. */
async function echoTimesInTurn(terminals: readonly Terminal[]): Promise<number[][]> {
  const turns = terminals.map((terminal) => () => echoTimes(terminal, KEYS_IN_TURN));
  return (await inTurn(turns, KEYS / KEYS_IN_TURN)).map((times) => times.flat());
}

async function echoTimes(terminal: Terminal, keys: number): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < keys; count += 1) {
    const started = performance.now();
    const echoed = new Promise<void>((resolve, reject) => terminal.listen(() => resolve(), reject));
    terminal.write('x');
    await echoed;
    times.push((performance.now() - started) * 1000);
  }
  return times;
}

/** In microseconds. */
function besideFlood(open: Open): () => Promise<number[]> {
  return async () => {
    const flooded = await open();
    const terminal = await echoing(open);
    const begun = receives(flooded, BEGUN_BYTES);
    flooded.write('yes\r');
    await begun;
    const times = await echoTimes(terminal, KEYS_BESIDE_FLOOD);
    flooded.close();
    terminal.close();
    return times;
  };
}
