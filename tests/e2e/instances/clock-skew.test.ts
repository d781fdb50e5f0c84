import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '#core/ports/runtime.ts';
import { systemClock } from '#server/lib/clock.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { shellOn } from '../../support/features/shells.ts';
import { enrol, standStill } from '../../support/features/totp.ts';
import {
  type Actor,
  logIn,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const AHEAD_MS = 300_000;
const BEHIND_MS = -45_000;

const setBy = (ms: number): Clock => ({ ...systemClock, now: () => new Date(Date.now() + ms) });

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

describe.each(DIALECTS)('Instances whose clocks differ (%s)', (dialect) => {
  let database: FreshDatabase;
  let ahead: TestGateway;
  let behind: TestGateway;
  let at_behind: Actor;
  let server_id: number;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    const { url: database_url } = database;
    const start = (name: string, skew_ms: number, untouched: boolean) =>
      startGateway({
        ...{ database_url, untouched },
        env: { SERVICE_INSTANCE_ID: name },
        machine_clock: setBy(skew_ms),
      });
    ahead = await start('ahead', AHEAD_MS, false);
    behind = await start('behind', BEHIND_MS, true);
    at_behind = behind.actor(ahead.admin.token);
    const { port, username, password } = sshd;
    server_id = (await ahead.addServer({ name: 'far', port, username, password })).id;
  });
  afterAll(async () => {
    await behind?.close();
    await ahead?.close();
    await database?.cleanup();
  });

  it('accept each other’s tickets', async () => {
    for (const [issuer, taker] of [
      [ahead, behind],
      [behind, ahead],
    ] as const) {
      const { body } = await issuer
        .actor(ahead.admin.token)
        .call<{ ticket: string }>('POST', '/api/auth/ws-ticket');
      const shell = openTerminal(
        `${taker.url}/api/ws/terminal/${server_id}?cols=80&rows=24&ticket=${body.ticket}`,
      );
      await shell.frame('session');
      shell.close(1000);
    }
  });

  it('lock an account together, for as long', async () => {
    await ahead.user({ username: 'besieged' });
    for (let count = 0; count < 5; count += 1) {
      for (const { anonymous } of [ahead, behind]) await logIn(anonymous, 'besieged', 'wrong');
    }
    const waits = await Promise.all(
      [ahead, behind].map(async ({ anonymous }) => {
        const { headers } = await logIn(anonymous, 'besieged', USER_PASSWORD);
        return Number(headers.get('retry-after'));
      }),
    );
    expect(Math.abs((waits[0] ?? 0) - (waits[1] ?? 1e9))).toBeLessThan(10);
  });

  it('accept the second factor of the present', async () => {
    standStill();
    const { nextCode } = await enrol(await ahead.user({ username: 'careful' }));
    expect((await logIn(behind.anonymous, 'careful', USER_PASSWORD, nextCode())).status).toBe(200);
  });

  it('record the address of a caller that one of them relays', async () => {
    const { session_id, client } = await shellOn(ahead, server_id, ahead.admin);
    const headers = { authorization: `Bearer ${at_behind.token}`, 'x-forwarded-for': '198.51.100.8' };
    const path = `${behind.url}/api/terminal/share/${session_id}`;
    expect((await fetch(path, { method: 'POST', headers })).status).toBe(200);
    const audit = '/api/auth/audit?action=terminal_share';
    const [entry] = (await ahead.admin.call<{ ip_address: string; created_at: string }[]>('GET', audit)).body;
    expect(entry?.ip_address).toBe('198.51.100.8');
    client.close(1000);
  });

  it('report the difference in ready, and to administrators', async () => {
    const ready = (await ahead.anonymous.call('GET', '/api/health/ready')).body;
    expect(ready['clock_skew_ms']).toBeGreaterThan(AHEAD_MS - 2000);
    const { body } = await ahead.admin.call<{
      instances: { instance_id: string; clock_skew_ms: number | null }[];
    }>('GET', '/api/overview');
    const skews = body.instances.map(({ instance_id, clock_skew_ms }) => [
      instance_id,
      Math.round((clock_skew_ms ?? 0) / 5000) * 5000,
    ]);
    expect(skews).toEqual([
      ['ahead', AHEAD_MS],
      ['behind', BEHIND_MS],
    ]);
  });
});
