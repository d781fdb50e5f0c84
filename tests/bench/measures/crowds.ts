import { memory, type Row, row } from '../measure.ts';
import { untilIdle } from '../processor.ts';
import { type Scene, withScene } from '../scene.ts';
import { type GatewayTerminalOptions, openGatewayTerminal, type Terminal } from '../terminal-clients.ts';
import { readyMany } from '../terminal-shells.ts';

const IDLE = 1000;
const HELD = 16;
const WARM_UP = 20;

/** The memory of terminals: many idle ones, and floods that nobody reads, each in a fresh gateway. */
export async function measureCrowds(): Promise<Row[]> {
  const idle = await withScene(idleMib);
  const unread = await withScene((scene) => heldMib(scene, { acks: false }));
  const unacked = await withScene((scene) => heldMib(scene, { acks: true }));
  return [
    row('memory per idle terminal, of 1,000', 'KiB', { ours: idle * 1024, want: '<= 110' }),
    row('memory per flood, its client reads nothing', 'MiB', { ours: unread, want: '<= 4' }),
    row('memory per flood, its client acks nothing', 'MiB', { ours: unacked, want: '<= 4' }),
  ];
}

async function idleMib(scene: Scene): Promise<number> {
  close(await open(scene, WARM_UP));
  const before = await settledMib(scene);
  const terminals = await open(scene, IDLE);
  const growth = (await settledMib(scene)) - before;
  close(terminals);
  return growth / IDLE;
}

async function heldMib(scene: Scene, options: GatewayTerminalOptions): Promise<number> {
  close(await open(scene, WARM_UP));
  const terminals = await open(scene, HELD, options);
  const before = await settledMib(scene);
  for (const terminal of terminals) {
    terminal.hold();
    terminal.write('yes\r');
  }
  const growth = (await settledMib(scene)) - before;
  close(terminals);
  return growth / HELD;
}

function open(
  { gateway, server_id }: Scene,
  count: number,
  options: GatewayTerminalOptions = {},
): Promise<Terminal[]> {
  return readyMany(count, () => openGatewayTerminal(gateway, server_id, options));
}

function close(terminals: readonly Terminal[]): void {
  for (const terminal of terminals) terminal.close();
}

async function settledMib({ gateway }: Scene): Promise<number> {
  await untilIdle(gateway.pid);
  return memory.now(gateway.pid);
}
