import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { shellOn, socketTo } from '../../support/features/shells.ts';
import {
  type Actor,
  logIn,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { connectedTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startSilentPeer } from '../../support/hosts/tcp.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

describe.each(DIALECTS)('The limits of several instances (%s)', (dialect) => {
  let database: FreshDatabase;
  const gateways: TestGateway[] = [];
  let one: TestGateway;
  let other: TestGateway;
  let server_id: number;
  let people = 0;
  let username: string;
  let here: Actor;
  let there: Actor;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    const env = { SERVICE_MAX_SESSIONS_PER_USER: '2' };
    one = await startGateway({ database_url: database.url, env });
    other = await startGateway({ database_url: database.url, env, untouched: true });
    gateways.push(one, other);
    const { port, username: account, password } = sshd;
    server_id = (await one.addServer({ port, username: account, password })).id;
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.close();
    await database?.cleanup();
  });
  beforeEach(async () => {
    people += 1;
    username = `person ${people}`;
    here = await one.user({ username, allowed_groups: ['lab'] });
    there = other.actor(here.token);
  });

  it('count the terminals of a user at all of them', async () => {
    const first = await shellOn(one, server_id, here);
    const second = await shellOn(other, server_id, there);
    const third = socketTo(one, `${server_id}?cols=80&rows=24`, here);
    expect(await third.frame('error')).toMatchObject({ code: 'too_many_sessions' });
    expect((await third.closed()).code).toBe(4008);
    for (const { client } of [first, second]) client.close(1000);
  });

  it('count the terminals that are still being opened, too', async () => {
    const peer = await startSilentPeer();
    const open = { type: 'open', host: '127.0.0.1', port: peer.port, username: 'x', password: 'x' };
    const quick = async ({ url }: TestGateway) => {
      const headers = { authorization: `Bearer ${here.token}` };
      const client = await connectedTerminal(`${url}/api/ws/terminal/quick`, { headers });
      client.send(open);
      return client;
    };
    const pending = [await quick(one), await quick(other)];
    const { terminal_sessions } = one.store.tables;
    await eventually(async () => expect(await one.store.db.select().from(terminal_sessions)).toHaveLength(2));
    const third = await quick(one);
    expect((await third.closed()).code).toBe(4008);
    for (const client of pending) client.close(1000);
    await peer.stop();
  });

  it('do not lock a name out that signs in correctly at all of them at once', async () => {
    const third = await startGateway({ database_url: database.url, untouched: true });
    gateways.push(third);
    const attempts = [one, other, third].flatMap(({ anonymous }) =>
      Array.from({ length: 8 }, () => logIn(anonymous, username, USER_PASSWORD)),
    );
    const answers = await Promise.all(attempts);
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
  });
});
