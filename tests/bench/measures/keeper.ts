import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keeperPid } from '../../support/features/keepers.ts';
import { startForwarder } from '../delay.ts';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';
import { memory, type Row, row } from '../measure.ts';
import { type Scene, withScene } from '../scene.ts';
import { openGatewayTerminal } from '../terminal-clients.ts';
import { ready, readyMany } from '../terminal-shells.ts';
import { echoFigures } from './echo.ts';

const RELAY = new URL('../relay.mjs', import.meta.url).pathname;
const MANY = 50;

interface Kept {
  readonly gateway: GatewayProcess;
  readonly server_id: number;
  readonly keeper_pid: number;
}

/** What a keeper costs: the echo of a key and memory, against the same gateway without it. */
export async function measureKeeper(): Promise<Row[]> {
  return withScene((scene) =>
    withKeeper(scene, async (kept) => [...(await measureEcho(scene, kept)), ...(await measureMemory(kept))]),
  );
}

/** Beside the same gateway through a process that only forwards bytes: the price of any further process. */
async function measureEcho({ sshd, gateway, server_id, addServer }: Scene, kept: Kept): Promise<Row[]> {
  const relay = await startForwarder(RELAY, [sshd.port]);
  const relayed_id = await addServer('relayed', { port: relay.port });
  const figures = await echoFigures([
    () => ready(openGatewayTerminal(gateway, server_id)),
    () => ready(openGatewayTerminal(gateway, relayed_id)),
    () => ready(openGatewayTerminal(kept.gateway, kept.server_id)),
  ]);
  relay.stop();
  const [alone = 0, relayed = 0, ours = 0] = figures(0.5);
  const [theirs = 0, , late = 0] = figures(0.99);
  return [
    row('key echo p50, without and with a keeper', 'µs', { theirs: alone, ours, want: '<= 1.2' }),
    row('key echo p99, without and with a keeper', 'µs', { theirs, ours: late, want: '<= 1.5' }),
    row('added at p50 by a bare relay, and by the keeper', 'µs', {
      theirs: relayed - alone,
      ours: ours - alone,
      want: '< 30 µs',
    }),
  ];
}

async function measureMemory({ gateway, server_id, keeper_pid }: Kept): Promise<Row[]> {
  const pids = [gateway.pid, keeper_pid];
  const before = pids.map(memory.now);
  const terminals = await readyMany(MANY, () => openGatewayTerminal(gateway, server_id));
  const grown = (pid: number, i: number) => ((memory.now(pid) - (before[i] ?? 0)) * 1024) / MANY;
  const [of_gateway = 0, of_keeper = 0] = pids.map(grown);
  for (const terminal of terminals) terminal.close();
  return [
    row('memory of the keeper', 'MiB', { ours: before[1] ?? 0, want: '' }),
    row(`memory for each of ${MANY} terminals, gateway and keeper`, 'KiB', {
      theirs: of_gateway,
      ours: of_keeper,
      want: '',
    }),
  ];
}

async function withKeeper<T>({ sshd }: Scene, measure: (kept: Kept) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-kept-'));
  const env = { SERVICE_KEEPER: 'on', SERVICE_DISABLE_MONITOR: 'true', SERVICE_DATA_DIR: folder };
  const gateway = await startGatewayProcess({ env });
  const by_key = { auth_method: 'key', private_key: sshd.private_key };
  try {
    const server_id = await gateway.addServer(sshd, 'kept', by_key);
    return await measure({ gateway, server_id, keeper_pid: await keeperPid(folder) });
  } finally {
    await gateway.stop(); // the keeper ends a minute later
    rmSync(folder, { recursive: true, force: true });
  }
}
