import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { createKey, userOf } from '../../support/features/accounts.ts';
import { ENDINGS, setScene } from '../../support/features/endings.ts';
import {
  OFFLINE,
  ONLINE,
  openEvents,
  type StatusStream,
  saveStatus,
} from '../../support/features/statuses.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  describeEachGateway,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';

const FELT_WITHIN_MS = 4000; // One round a second; the machine may be busy.
const MOST_STREAMS = 20;

/** A change of rights ends a terminal but not an event stream, whose content changes. */
const OF_THE_SIGN_IN = Object.entries(ENDINGS).filter(([what]) => !/group/.test(what));

const idsIn = (statuses: object = {}) => Object.keys(statuses).map(Number).sort();

describeEachGateway('The events', (gateway) => {
  async function serverIn(group: string): Promise<number> {
    return (await gateway().addServer({ name: `of ${group}`, group })).id;
  }

  // nginx keeps the header for itself.
  it.skipIf(IS_BALANCED)('are server-sent events that no proxy buffers or stores', async () => {
    const response = await gateway().admin.fetch('/api/servers/events');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    await response.body?.cancel();
  });

  it('list everything within reach first, then each new result', async () => {
    const [checked, unchecked] = [await serverIn('blue'), await serverIn('blue')];
    await saveStatus(gateway(), checked, ONLINE);
    const events = await openEvents(gateway().admin);
    const first = await events.next();
    expect(first?.[checked]).toEqual(ONLINE);
    expect(first?.[unchecked]).toMatchObject({ status: 'unchecked' });
    await saveStatus(gateway(), unchecked, OFFLINE);
    expect(await events.until((statuses) => unchecked in statuses)).toEqual({ [unchecked]: OFFLINE });
    expect(new Set(events.seen)).toEqual(new Set(['status']));
    events.close();
  });

  it('report a server as unchecked when its address changes', async () => {
    const id = await serverIn('blue');
    await saveStatus(gateway(), id, ONLINE);
    const events = await openEvents(gateway().admin);
    await events.next();
    await gateway().admin.call('PUT', `/api/servers/${id}`, { port: 2222 });
    expect(await events.next()).toMatchObject({ [id]: { status: 'unchecked' } });
    events.close();
  });

  it('omit groups that the caller cannot reach', async () => {
    const [own, foreign] = [await serverIn('own'), await serverIn('foreign')];
    const user = await gateway().user({ username: 'listener', allowed_groups: ['own'] });
    const events = await openEvents(user);
    expect(idsIn(await events.next())).toEqual([own]);
    await saveStatus(gateway(), foreign, OFFLINE);
    await saveStatus(gateway(), own, ONLINE);
    expect(idsIn(await events.next())).toEqual([own]);
    events.close();
  });

  it('start again when the caller’s groups change, without what is lost', async () => {
    const [lost, won] = [await serverIn('lost'), await serverIn('won')];
    const user = await gateway().user({ username: 'moved', allowed_groups: ['lost'] });
    const { id } = await userOf(user);
    const events = await openEvents(user);
    expect(idsIn(await events.next())).toEqual([lost]);
    await gateway().admin.call('PUT', `/api/auth/users/${id}/groups`, { allowed_groups: ['won'] });
    expect(idsIn(await events.next())).toEqual([won]);
    await saveStatus(gateway(), lost, OFFLINE);
    await saveStatus(gateway(), won, ONLINE);
    expect(idsIn(await events.next())).toEqual([won]);
    events.close();
  });

  it('are available to an API key with the scope read', async () => {
    const id = await serverIn('keyed');
    const user = await gateway().user({ username: 'program', allowed_groups: ['keyed'] });
    const { key } = await createKey(user, { scopes: ['read'] });
    const events = await openEvents(gateway().actor(key));
    expect(idsIn(await events.next())).toEqual([id]);
    events.close();
  });

  it('end with the session or key, and when its owner must change the password', async () => {
    const place = { here: gateway(), there: { gateway: gateway(), admin: gateway().admin } };
    const opened = [];
    for (const [what, change] of OF_THE_SIGN_IN) {
      const { scene, token } = await setScene(change, place);
      opened.push({ what, change, scene, events: await openEvents(gateway().actor(token)) });
    }
    const endings = [];
    for (const { what, change, scene, events } of opened) {
      expect((await change.make(scene)).status).toBeLessThan(300);
      endings.push(endsInTime(events).then((in_time) => ({ what, in_time })));
    }
    expect(await Promise.all(endings)).toEqual(OF_THE_SIGN_IN.map(([what]) => ({ what, in_time: true })));
  });

  // Each instance counts its own.
  it.skipIf(IS_BALANCED)('are refused to the 21st listener of one user only', async () => {
    await gateway().user({ username: 'greedy' });
    const sessions = await Promise.all([1, 2].map(() => gateway().signIn('greedy', USER_PASSWORD)));
    const streams = [];
    for (let count = 0; count < MOST_STREAMS; count += 1) {
      streams.push(await openEvents(sessions[count % 2] ?? gateway().anonymous));
    }
    const refused = await gateway().signIn('greedy', USER_PASSWORD);
    const { status, body } = await refused.call('GET', '/api/servers/events');
    expect([status, body['code']]).toEqual([429, 'too_many_streams']);
    (await openEvents(gateway().admin)).close();
    streams.pop()?.close();
    const again = await eventually(() => openEvents(refused)); // The gateway notices a moment later that it is gone.
    for (const stream of [...streams, again]) stream.close();
  });

  it('are not delayed by a client that never reads', async () => {
    const id = await serverIn('blue');
    const { port } = new URL(gateway().url);
    const headers = { authorization: `Bearer ${gateway().admin.token}` };
    const deaf = request({ host: '127.0.0.1', port, path: '/api/servers/events', headers });
    const answered = new Promise((resolve) => deaf.once('response', resolve)); // Nobody reads it.
    deaf.on('error', () => undefined);
    deaf.end();
    await answered;
    const events = await openEvents(gateway().admin);
    await events.next();
    for (const status of [OFFLINE, ONLINE, OFFLINE]) {
      await saveStatus(gateway(), id, status);
      expect(await events.next()).toEqual({ [id]: status });
    }
    events.close();
    deaf.destroy();
  });
});

async function endsInTime(events: StatusStream): Promise<boolean> {
  const since_ms = performance.now();
  while (await events.next());
  return performance.now() - since_ms < FELT_WITHIN_MS;
}

describe.each(DIALECTS)('Events at two instances (%s)', (dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;
  let other: TestGateway;
  let there: Actor;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    one = await startGateway({ database_url: database.url });
    other = await startGateway({ database_url: database.url, untouched: true });
    there = await other.signIn('admin', ADMIN_PASSWORD);
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
  });

  it('are the same, whichever instance stored the status', async () => {
    const { id } = await one.addServer({});
    const events = await Promise.all([openEvents(one.admin), openEvents(there)]);
    for (const stream of events) await stream.next();
    for (const [instance, status] of [
      [one, ONLINE],
      [other, OFFLINE],
    ] as const) {
      await saveStatus(instance, id, status);
      for (const stream of events) expect(await stream.next()).toEqual({ [id]: status });
    }
    for (const stream of events) stream.close();
  });

  it('end at the stopping instance at once, and continue at the other', async () => {
    const { id } = await one.addServer({});
    const leaving = await startGateway({ one_instance: true, database_url: database.url, untouched: true });
    const ending = await openEvents(await leaving.signIn('admin', ADMIN_PASSWORD));
    const staying = await openEvents(one.admin);
    await Promise.all([ending.next(), staying.next()]);
    const since_ms = performance.now();
    const closed = leaving.close();
    expect(await ending.next()).toBeUndefined();
    await closed;
    expect(performance.now() - since_ms).toBeLessThan(FELT_WITHIN_MS);
    await saveStatus(one, id, OFFLINE);
    expect(await staying.until((statuses) => id in statuses)).toEqual({ [id]: OFFLINE });
    staying.close();
  });
});
