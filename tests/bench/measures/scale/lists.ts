import { Agent, get } from 'node:http';
import { startWorkerd } from '../../../support/gateway/workerd.ts';
import type { GatewayProcess } from '../../gateway-process.ts';
import { median, type Row, row } from '../../measure.ts';
import { cpuSeconds } from '../../processor.ts';
import { type Fleet, firstOf, post, type Shared } from './fleet.ts';

const SERVERS = 5000;
const GROUPS = 100;
const CLIENTS = 16;
const ASKS = 240; // of all clients together

/** `GET /api/servers` on one, two and three instances that take turns, and on an edge in workerd: whole and unchanged. */
export async function measureLists({ run }: Fleet): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of [1, 2, 3]) {
    const where = count === 1 ? '1 instance' : `${count} instances`;
    rows.push(
      ...(await run(count, async (instances) => {
        const etag = await fill(firstOf(instances));
        return figures(where, instances, etag);
      })),
    );
  }
  rows.push(...(await run(1, (instances, shared) => throughWorkerd(firstOf(instances), shared))));
  return rows;
}

async function throughWorkerd(worker: GatewayProcess, shared: Shared): Promise<Row[]> {
  const etag = await fill(worker);
  const edge = await startWorkerd({ ...shared, SERVICE_WORKER_URL: worker.url, SERVICE_INSTANCE_ID: 'edge' });
  try {
    return await figures('workerd', [{ url: edge.url, pid: edge.pid, token: worker.token }], etag);
  } finally {
    await edge.stop();
  }
}

async function figures(where: string, targets: readonly Target[], etag: string): Promise<Row[]> {
  return [
    ...rowsOf(`list of 5,000 servers on ${where}, whole`, await load(targets, {})),
    ...rowsOf(`list of 5,000 servers on ${where}, unchanged`, await load(targets, { 'if-none-match': etag })),
  ];
}

function rowsOf(what: string, { per_s, median_ms, cpu_ms }: Load): Row[] {
  return [
    row(what, '/s', { ours: per_s, want: '' }),
    row(`${what}, median of 16 clients`, 'ms', { ours: median_ms, want: '' }),
    row(`${what}, processor time of the gateways each`, 'ms', { ours: cpu_ms, want: '' }),
  ];
}

type Target = Pick<GatewayProcess, 'url' | 'pid' | 'token'>;

interface Load {
  readonly per_s: number;
  readonly median_ms: number;
  readonly cpu_ms: number;
}

async function load(targets: readonly Target[], headers: Readonly<Record<string, string>>): Promise<Load> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  let asked = 0;
  const next = () => {
    const target = targets[asked++ % targets.length];
    if (!target) throw new Error('Nothing to ask');
    return target;
  };
  const client = async () => {
    while (asked < ASKS) times.push(await timed(next(), agent, headers));
  };
  await Promise.all(Array.from({ length: CLIENTS }, () => timed(next(), agent, headers))); // connected and prepared
  asked = 0;
  const cpu = () => targets.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const [began_ms, began_cpu] = [performance.now(), cpu()];
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = (performance.now() - began_ms) / 1000;
  agent.destroy();
  return {
    per_s: times.length / seconds,
    median_ms: median(times),
    cpu_ms: ((cpu() - began_cpu) * 1000) / times.length,
  };
}

function timed(
  { url, token }: Target,
  agent: Agent,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const began_ms = performance.now();
  const options = {
    agent,
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip', ...headers },
  };
  return new Promise((resolve, reject) => {
    get(`${url}/api/servers`, options, (response) => {
      response.resume().once('end', () => resolve(performance.now() - began_ms));
    }).once('error', reject);
  });
}

/** Returns the ETag of the list. */
async function fill(gateway: GatewayProcess): Promise<string> {
  const servers = Array.from({ length: SERVERS }, (_, i) => ({
    name: `server ${i}`,
    hostname: `host-${i}.example`,
    username: 'deploy',
    group: `group ${i % GROUPS}`,
    tags: ['linux', `rack ${i % 40}`],
    description: `The server number ${i} of this registry`,
  }));
  await post(gateway, '/api/servers/import', { servers });
  const response = await fetch(`${gateway.url}/api/servers`, {
    headers: { authorization: `Bearer ${gateway.token}`, 'accept-encoding': 'gzip' },
  });
  await response.arrayBuffer();
  return response.headers.get('etag') ?? '';
}
