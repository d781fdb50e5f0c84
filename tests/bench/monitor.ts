import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { startBlackhole } from '../support/hosts/blackhole.ts';
import { type Sshd, startSshd } from '../support/hosts/sshd.ts';
import { freePort, startSilentPeer } from '../support/hosts/tcp.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { type Lateness, LOOP_WATCH, loopLateness } from './loop-watch.ts';
import { memory, quantileOf } from './measure.ts';

const LIVE = 500;
const DEAD = 500;
const SWEEPS = 2;
const LOOK_MS = 100;
const ASK_MS = 250;

interface Sweep {
  readonly ms: number;
  readonly lease_margin_ms: number;
  readonly late: Lateness;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const untilNext = async (isIt: () => boolean) => {
  while (!isIt()) await pause(LOOK_MS);
};

function liveServers({ port, username, password }: Sshd): object[] {
  const address = { hostname: '127.0.0.1', port, username, password };
  return Array.from({ length: LIVE }, (_, i) => ({ name: `live ${i}`, ...address }));
}

function deadServers(ports: readonly number[]): object[] {
  return Array.from({ length: DEAD }, (_, i) => ({
    name: `dead ${i}`,
    hostname: `127.1.${i >> 8}.${i & 255}`, // each a host of its own
    port: ports[i % ports.length],
    username: 'nobody',
    password: 'any',
  }));
}

/** Reads the gateway's database directly, without involving the gateway. */
function createLook(path: string) {
  const db = new Database(path, { readonly: true });
  const count = (condition: string) =>
    db.prepare<string[], { n: number }>(`select count(*) as n from server_statuses where ${condition}`);
  const checkedSince = count('last_checked > ?');
  const ofState = count('status = ?');
  const margin = db.prepare<[], { ms: number }>(
    "select (unixepoch(expires_at, 'subsec') - unixepoch('now', 'subsec')) * 1000 as ms from monitor_lease",
  );
  return {
    checkedSince: (at: Date) => checkedSince.get(at.toISOString())?.n ?? 0,
    ofState: (status: string) => ofState.get(status)?.n ?? 0,
    leaseMarginMs: () => margin.get()?.ms ?? Number.NEGATIVE_INFINITY,
    close: () => db.close(),
  };
}

/** Repeats a request; returns milliseconds. */
function askAgainAndAgain(url: string, token: string) {
  const times: number[] = [];
  let is_over = false;
  const asking = (async () => {
    while (!is_over) {
      const began_ms = performance.now();
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
      times.push(performance.now() - began_ms);
      await pause(ASK_MS);
    }
  })();
  return async () => {
    is_over = true;
    await asking;
    return times;
  };
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-monitor-'));
const database = join(folder, 'sallyport.db');
const sshd = await startSshd();
const silent = await startSilentPeer('0.0.0.0');
const blackhole = await startBlackhole('0.0.0.0');
const gateway = await startGatewayProcess({ env: { SERVICE_DB_URL: database }, preload: [LOOP_WATCH] });
const look = createLook(database);

/** From the next server to be checked to the last one. */
async function measureSweep(): Promise<Sweep> {
  const since = new Date();
  let lease_margin_ms = Number.POSITIVE_INFINITY;
  const seen = () => {
    lease_margin_ms = Math.min(lease_margin_ms, look.leaseMarginMs());
    return look.checkedSince(since);
  };
  await untilNext(() => seen() > 0);
  const began_ms = performance.now();
  await loopLateness(gateway); // Ignores what came before.
  await untilNext(() => seen() >= LIVE + DEAD);
  const ms = performance.now() - began_ms;
  return { ms, lease_margin_ms, late: await loopLateness(gateway) };
}

async function fillRegistry(): Promise<void> {
  const dead = deadServers([await freePort(), silent.port, blackhole.port]);
  const response = await fetch(`${gateway.url}/api/servers/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.token}` },
    body: JSON.stringify({ servers: [...liveServers(sshd), ...dead] }),
  });
  if (!response.ok) throw new Error(`Import: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

const seconds = (ms: number) => (ms / 1000).toFixed(1);
const rounded = ({ p50, p99, max }: Lateness) =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(0)} ms`;

try {
  await fillRegistry();
  const size = memory.reset(gateway.pid);
  const stopAsking = askAgainAndAgain(`${gateway.url}/api/servers`, gateway.token);
  for (let count = 0; count <= SWEEPS; count += 1) {
    const { ms, lease_margin_ms, late } = await measureSweep();
    const what = count === 0 ? 'first sweep (pins every key)' : `sweep ${count}`;
    const verdicts = `${look.ofState('online')} online, ${look.ofState('offline')} offline`;
    console.log(`${what}: ${seconds(ms)} s, ${verdicts}; lease left at least ${seconds(lease_margin_ms)} s`);
    console.log(`  event loop late by ${rounded(late)}`);
  }
  const times = await stopAsking();
  const [p50, p99] = [0.5, 0.99].map((quantile) => quantileOf(times, quantile).toFixed(0));
  console.log(`GET /api/servers meanwhile: p50 ${p50} ms, p99 ${p99} ms of ${times.length}`);
  console.log(`memory: ${size.toFixed(0)} MiB before, at most ${memory.peak(gateway.pid).toFixed(0)} MiB`);
} finally {
  look.close();
  await gateway.stop();
  await Promise.all([sshd.stop(), silent.stop(), blackhole.stop()]);
  rmSync(folder, { recursive: true, force: true });
}
