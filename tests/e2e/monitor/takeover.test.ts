import { describe, expect, it, vi } from 'vitest';
import { openStore } from '#db/open-store.ts';
import { type GatewayProcess, startGatewayProcess } from '../../bench/gateway-process.ts';
import { clockUntil } from '../../support/databases/statements.ts';
import { DIALECTS, type FreshDatabase, freshDatabaseUrl } from '../../support/databases/stores.ts';
import { startGateway } from '../../support/gateway/gateway.ts';
import { openTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const LEASE_MS = 90_000;
const HEARTBEAT_MS = 30_000;
const RETRY_MS = 5000; // after an error of the database, which a busy machine may cause
const SLACK_MS = 30_000; // for a busy machine
const PATIENCE = { timeout: 3 * LEASE_MS };

async function roleOf({ url }: { readonly url: string }): Promise<string> {
  return (await (await fetch(`${url}/api/health`)).json()).monitor_role;
}

async function rolesOf(gateways: readonly { readonly url: string }[]): Promise<string[]> {
  return (await Promise.all(gateways.map(roleOf))).sort();
}

async function untilLeading(gateway: { readonly url: string }, deadline_ms = SLACK_MS): Promise<void> {
  const lead = async () => {
    if ((await roleOf(gateway)) !== 'leader') throw new Error('Still a follower');
  };
  await vi.waitFor(lead, { timeout: deadline_ms, interval: 200 });
}

async function withTwoProcesses(
  { url }: FreshDatabase,
  play: (leader: GatewayProcess, follower: GatewayProcess) => Promise<void>,
): Promise<void> {
  const env = { SERVICE_DB_URL: url, SERVICE_SECRET_KEY: 'a secret of the takeover tests' };
  const leader = await startGatewayProcess({ env });
  try {
    await untilLeading(leader);
    const follower = await startGatewayProcess({ env, untouched: true });
    await play(leader, follower).finally(follower.stop);
  } finally {
    await leader.kill();
  }
}

async function withSshd(play: (sshd: Sshd) => Promise<void>): Promise<void> {
  const sshd = await startSshd();
  await play(sshd).finally(sshd.stop);
}

async function openShell({ url, token }: GatewayProcess, server_id: number): Promise<TerminalClient> {
  const headers = { authorization: `Bearer ${token}` };
  const shell = openTerminal(`${url}/api/ws/terminal/${server_id}?cols=80&rows=24`, { headers });
  await shell.frame('session');
  return shell;
}

describe.concurrent('The monitor leader', () => {
  it('is a single gateway as soon as it has started', async () => {
    const gateway = await startGateway({ env: { SERVICE_DISABLE_MONITOR: 'false' }, untouched: true });
    expect(await roleOf(gateway)).toBe('leader');
    await gateway.close();
  });

  it.each(DIALECTS)(
    'is exactly one of two, and the other within its next heartbeat once that one stops (%s)',
    PATIENCE,
    async (dialect) => {
      const database = await freshDatabaseUrl(dialect);
      const options = {
        database_url: database.url,
        env: { SERVICE_DISABLE_MONITOR: 'false' },
        untouched: true,
      };
      const leader = await startGateway(options);
      await untilLeading(leader);
      const others = [await startGateway(options), await startGateway(options)];
      expect(await rolesOf(others)).toEqual(['follower', 'follower']);
      await leader.close();
      const deadline_ms = HEARTBEAT_MS + SLACK_MS;
      await Promise.any(others.map((gateway) => untilLeading(gateway, deadline_ms)));
      expect(await rolesOf(others)).toEqual(['follower', 'leader']);
      await Promise.all(others.map((gateway) => gateway.close()));
      await database.cleanup();
    },
  );

  it('is another at once when PostgreSQL reports that it has stopped, without any heartbeat', async () => {
    const database = await freshDatabaseUrl('postgres');
    const env = { SERVICE_DISABLE_MONITOR: 'false' };
    const options = { database_url: database.url, env, clock: clockUntil(RETRY_MS), untouched: true };
    const leader = await startGateway(options);
    await untilLeading(leader);
    const other = await startGateway(options);
    expect(await roleOf(other)).toBe('follower');
    await leader.close();
    await untilLeading(other);
    await other.close();
    await database.cleanup();
  });

  it('is the other within 90 s when one is killed, and nothing else is affected', PATIENCE, async () => {
    const database = await freshDatabaseUrl('postgres');
    await withSshd((sshd) =>
      withTwoProcesses(database, async (leader, follower) => {
        expect(await roleOf(follower)).toBe('follower');
        const server_id = await leader.addServer(sshd);
        const shell = await openShell(follower, server_id);
        await leader.kill();
        await untilLeading(follower, LEASE_MS + SLACK_MS);
        shell.type('echo still-$((40 + 2))\n');
        await shell.sees('still-42');
        const headers = { authorization: `Bearer ${follower.token}` };
        expect((await fetch(`${follower.url}/api/auth/me`, { headers })).status).toBe(200);
        const told = shell.frames.map(({ type }) => type).filter((type) => type !== 'stage'); // On a slow machine.
        expect(told).toEqual(['session']);
        shell.close(1000);
      }),
    );
    await database.cleanup();
  });

  it('is another process on the same SQLite file once the lease has expired', PATIENCE, async () => {
    const database = await freshDatabaseUrl('sqlite');
    await withTwoProcesses(database, async (leader, follower) => {
      expect(await roleOf(follower)).toBe('follower');
      await leader.kill();
      const { db, tables, close } = openStore(database.url);
      await db.update(tables.monitor_lease).set({ expires_at: '2020-01-01T00:00:00.000Z' });
      await close();
      await untilLeading(follower, HEARTBEAT_MS + SLACK_MS);
    });
    await database.cleanup();
  });
});
