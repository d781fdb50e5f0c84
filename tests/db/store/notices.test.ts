import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { deafProxy } from '../../support/databases/postgres-proxy.ts';
import { AT, firstUser, LATER, serverRow, sessionRow } from '../../support/databases/rows.ts';
import { migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';

async function listening(through: (url: string) => Promise<string> = async (url) => url) {
  const { url, cleanup } = await migratedDatabaseUrl('postgres');
  onTestFinished(cleanup);
  const store = openStore(url); // another instance
  onTestFinished(store.close);
  const listener = openStore(await through(url));
  onTestFinished(listener.close);
  const heard: string[] = [];
  const states: string[] = [];
  const ears = listener.notices.listen({
    hear: (text) => void heard.push(text),
    began: () => void states.push('began'),
    ended: (why) => void states.push(why),
  });
  onTestFinished(ears.stop);
  return { store, heard, states, url };
}

/** Notices arrive in the order of their commits: once this one is there, so are all before it. */
async function untilHeard(store: Store, heard: readonly string[], text: string) {
  await store.batch(() => [sql`select pg_notify('sallyport', ${text})`]);
  await eventually(() => expect(heard).toContain(text));
}

describe('Notices of changes (postgres)', () => {
  async function heardOf(
    change: (scene: { store: Store } & Awaited<ReturnType<typeof prepare>>) => Promise<unknown>,
  ) {
    const { store, heard, states } = await listening();
    const prepared = await prepare(store);
    await eventually(() => expect(states).toEqual(['began']));
    await untilHeard(store, heard, 'before');
    await change({ store, ...prepared });
    await untilHeard(store, heard, 'after');
    return heard.slice(heard.indexOf('before') + 1, heard.indexOf('after'));
  }

  async function prepare(store: Store) {
    const repositories = createRepositories(store);
    const user = await firstUser(repositories);
    await repositories.web_sessions.insert(sessionRow(user.id));
    const server = await repositories.servers.insert(serverRow({}));
    return { ...repositories, user, server };
  }

  it('name the topic of a change, once per transaction', async () => {
    expect(await heardOf(({ web_sessions, user }) => web_sessions.remove(user.id, 'session'))).toEqual([
      'rights',
    ]);
    expect(await heardOf(({ users, user }) => users.update(user.id, { allowed_groups: [] }))).toEqual([
      'rights',
    ]);
    expect(
      await heardOf(({ settings }) => settings.save([{ key: 'session_timeout', value: 5 }], AT)),
    ).toEqual(['settings']);
    expect(await heardOf(({ branding }) => branding.clear())).toEqual(['settings']);
    const status = { revision: 1, id: 1 };
    const both = ({ store }: { store: Store }) =>
      store.batch((db) => [db.insert(store.tables.server_status_head).values(status)]);
    expect(await heardOf(both)).toEqual(['statuses']);
  });

  it('are not sent for what happens with each request, or is rolled back', async () => {
    const quiet = await heardOf(async ({ store, web_sessions, servers, server }) => {
      await web_sessions.touch('session', LATER);
      await servers.touchConnected(server.id, LATER);
      const broken = store.batch((db) => [db.delete(store.tables.sessions), sql`select nothing`]);
      await expect(broken).rejects.toThrow();
    });
    expect(quiet).toEqual([]);
  });

  it('arrive again after the connection was lost, and the loss is reported', async () => {
    const { store, heard, states } = await listening();
    await eventually(() => expect(states).toEqual(['began']));
    await store.batch(() => [
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen %'`,
    ]);
    await eventually(() => expect(states).toEqual(['began', 'lost', 'began']));
    await untilHeard(store, heard, 'rights');
  });

  it('are reported as unsupported when the database accepts the listener but passes nothing on', async () => {
    const { states } = await listening(deafProxy);
    await eventually(() => expect(states).toEqual(['unsupported']));
  });
});
