import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '#db/open-store.ts';
import { type GatewayProcess, startGatewayProcess } from '../../bench/gateway-process.ts';
import { startPostgres, type TestPostgres } from '../../support/databases/postgres.ts';
import { auditRows } from '../../support/features/audit.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const NAMES = ['one', 'two', 'three'];
const PATIENT_MS = 180_000; // three starts, and time-outs of the database

let postgres: TestPostgres;
let sshd: Sshd;
let data_dir: string;
beforeAll(async () => {
  [postgres, sshd] = await Promise.all([startPostgres({ durable: true }), startSshd()]);
  data_dir = await mkdtemp(join(tmpdir(), 'sallyport-spool-'));
});
afterAll(async () => {
  await Promise.all([postgres?.stop(), sshd?.stop()]);
  await rm(data_dir, { recursive: true, force: true });
});

function start({ untouched }: { untouched: boolean }): Promise<GatewayProcess> {
  const env = {
    SERVICE_DB_URL: postgres.url,
    SERVICE_DATA_DIR: data_dir,
    SERVICE_SECRET_KEY: SECRET_KEY,
    SERVICE_RESUME_SECONDS: '0',
    SERVICE_DISABLE_MONITOR: 'true',
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
  };
  return startGatewayProcess({ env, untouched });
}

/** A terminal on a server with this name. */
async function terminalOn(gateway: GatewayProcess, name: string) {
  const id = await gateway.addServer(sshd, name);
  const headers = { authorization: `Bearer ${gateway.token}` };
  const terminal = openTerminal(`${gateway.url}/api/ws/terminal/${id}?cols=80&rows=24`, { headers });
  await terminal.frame('session');
  return terminal;
}

async function spoolFiles(): Promise<string[]> {
  const folder = join(data_dir, 'audit-spool');
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}

async function spooledLines(): Promise<number> {
  const texts = await Promise.all((await spoolFiles()).map((path) => readFile(path, 'utf8')));
  return texts.join('').split('\n').length - 1;
}

async function entriesOf(wanted: string) {
  const store = openStore(postgres.url);
  const entries = (await auditRows(store)).filter(({ action }) => action === wanted);
  await store.close();
  return entries;
}

/** How often the end of the terminal on each server is in the log. */
async function closings(): Promise<number[]> {
  const ends = await entriesOf('terminal_close');
  return NAMES.map((name) => ends.filter(({ detail }) => detail.startsWith(`${name} (`)).length);
}

it(
  'stores each audit entry of a gateway that was killed while the database was away exactly once',
  async () => {
    const killed = await start({ untouched: false });
    const terminals = await Promise.all(NAMES.map((name) => terminalOn(killed, name)));
    // The last entry of each connection: nothing but its end is left to record.
    await expect.poll(async () => (await entriesOf('host_key_learn')).length).toBe(NAMES.length);
    await postgres.crash();
    for (const terminal of terminals) terminal.close();
    await expect.poll(spooledLines, { timeout: PATIENT_MS / 2 }).toBe(NAMES.length);
    expect((await stat((await spoolFiles())[0] ?? '')).mode & 0o777).toBe(0o600);
    await killed.kill();
    await postgres.restart();
    expect(await closings()).toEqual([0, 0, 0]);
    await (await start({ untouched: true })).kill();
    const again = await start({ untouched: true });
    expect(await closings()).toEqual([1, 1, 1]);
    const verdict = await fetch(`${again.url}/api/auth/audit/verify`, {
      headers: { authorization: `Bearer ${again.token}` },
    });
    expect(await verdict.json()).toMatchObject({ ok: true });
    await expect.poll(spoolFiles).toEqual([]);
    await again.stop();
  },
  PATIENT_MS,
);
