import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../../bench/gateway-process.ts';
import { startPostgres, type TestPostgres } from '../../support/databases/postgres.ts';
import { DIALECTS, freshDatabaseUrl } from '../../support/databases/stores.ts';
import { cut, type OpenShell, resumed, shellOn } from '../../support/features/shells.ts';
import { type Actor, SECRET_KEY, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const TTL_MS = 600;
const instance_times = { ttl_ms: TTL_MS, heartbeat_ms: 100, gone_ms: TTL_MS };

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

describe('Two instances whose database was away for longer than a heartbeat is valid', () => {
  let postgres: TestPostgres;
  let gateways: TestGateway[] = [];
  const actors: Actor[] = [];
  const shells: OpenShell[] = [];
  beforeAll(async () => {
    postgres = await startPostgres({ durable: true });
    const options = {
      database_url: postgres.url,
      instance_times,
      env: { SERVICE_RECORD_SESSIONS: 'true', SERVICE_RECORDINGS_DIR: `${sshd.folder}/recordings` },
    };
    const one = await startGateway(options);
    gateways = [one, await startGateway({ ...options, untouched: true })];
    const { port, username, password } = sshd;
    const { id } = await one.addServer({ name: 'box', port, username, password });
    for (const gateway of gateways) {
      const actor = gateway.actor(one.admin.token);
      actors.push(actor);
      shells.push(await shellOn(gateway, id, actor));
    }
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.close();
    await postgres?.stop();
  });

  const statuses = async () => {
    const { body } = (await actors[0]?.call<{ status: string }[]>('GET', '/api/recordings')) ?? { body: [] };
    return body.map(({ status }) => status);
  };

  it('keep their terminals and recordings, and each relays to the other', async () => {
    expect(await statuses()).toEqual(['recording', 'recording']);
    await postgres.halt();
    await sleep(2 * TTL_MS);
    await postgres.restart();
    await expect.poll(async () => (await actors[1]?.call('GET', '/api/health/ready'))?.status).toBe(200);
    await sleep(3 * TTL_MS); // both have judged each other by now
    expect(await statuses()).toEqual(['recording', 'recording']);
    for (const [i, shell] of shells.entries()) {
      const [there, actor] = [gateways[1 - i], actors[1 - i]];
      if (!there || !actor) throw new Error('two gateways');
      await cut(shell.client);
      const again = resumed(there, { session_id: shell.session_id }, actor);
      await again.frame('session');
      again.type(`echo back-$((${i} + 40))\r`);
      await again.sees(new RegExp(`back-${40 + i}`));
      expect((await actor.call('DELETE', `/api/recordings/${i + 1}`)).body['code']).toBe(
        'recording_in_progress',
      );
      again.close(1000);
    }
    await expect.poll(statuses).toEqual(['finished', 'finished']);
    for (const id of [1, 2])
      expect((await actors[0]?.call('GET', `/api/recordings/${id}/verify`))?.body).toMatchObject({
        ok: true,
      });
  });
});

describe.each(DIALECTS)('An instance without heartbeats (%s)', (dialect) => {
  it('keeps its terminals while it answers at its address', async () => {
    const database = await freshDatabaseUrl(dialect);
    const one = await startGateway({ database_url: database.url, instance_times });
    const silent = { ...instance_times, heartbeat_ms: 3_600_000 };
    const other = await startGateway({ database_url: database.url, untouched: true, instance_times: silent });
    const { port, username, password } = sshd;
    const { id } = await one.addServer({ name: 'box', port, username, password });
    const shell = await shellOn(other, id, other.actor(one.admin.token));
    await sleep(4 * TTL_MS);
    await cut(shell.client);
    const again = resumed(one, { session_id: shell.session_id }, one.admin);
    await again.frame('session');
    again.close(1000);
    await one.close();
    await other.close();
    await database.cleanup();
  });

  it('that was killed has ended at once: 4004, and each terminal gets its entry', async () => {
    const database = await freshDatabaseUrl(dialect);
    const env = {
      SERVICE_DB_URL: database.url,
      SERVICE_SECRET_KEY: SECRET_KEY,
      SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    };
    const killed = await startGatewayProcess({ env });
    const ids = await openTerminals(killed, 3);
    await killed.kill();
    const gateway = await startGateway({ database_url: database.url, untouched: true, instance_times });
    const admin = gateway.actor(killed.token);
    const again = resumed(gateway, { session_id: ids[0] ?? '' }, admin);
    expect(await again.frame('error')).toMatchObject({ code: 'session_not_found' });
    expect((await again.closed()).code).toBe(4004);
    const ends = async () => {
      const { body } = await admin.call<{ detail: string }[]>('GET', '/api/auth/audit?action=terminal_close');
      return body.map(({ detail }) => detail);
    };
    await expect.poll(ends).toEqual(Array(3).fill('box (#1) (instance_ended)'));
    expect((await admin.call('GET', '/api/terminal/sessions')).body).toEqual([]);
    await gateway.close();
    await database.cleanup();
  });
});

async function openTerminals(gateway: GatewayProcess, count: number): Promise<string[]> {
  const server_id = await gateway.addServer(sshd, 'box');
  const headers = { authorization: `Bearer ${gateway.token}` };
  const opened = Array.from({ length: count }, async () => {
    const terminal = openTerminal(`${gateway.url}/api/ws/terminal/${server_id}?cols=80&rows=24`, { headers });
    return String((await terminal.frame('session'))['session_id']);
  });
  const ids = await Promise.all(opened);
  const stored = async () => {
    const listed = await fetch(`${gateway.url}/api/terminal/sessions`, { headers });
    return ((await listed.json()) as unknown[]).length;
  };
  await expect.poll(stored).toBe(count);
  return ids;
}
