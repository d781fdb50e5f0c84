import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../support/stores.ts';
import { AT, firstUser, LATER, sessionRow, ticketRow } from './rows.ts';

describeEachStore('web sessions', (fresh) => {
  async function prepare() {
    const store = await fresh.migrated();
    const repositories = createRepositories(store);
    const user = await firstUser(repositories);
    await repositories.web_sessions.insert(sessionRow(user.id));
    return { store, user, ...repositories };
  }

  it('gives the unexpired session and its user', async () => {
    const { web_sessions, user } = await prepare();
    expect(await web_sessions.active('session', AT)).toEqual({ session: sessionRow(user.id), user });
    expect(await web_sessions.active('another', AT)).toBeUndefined();
  });

  it('gives no session that has expired, from that very moment', async () => {
    const { web_sessions } = await prepare();
    expect(await web_sessions.active('session', LATER)).toBeUndefined();
    expect(await web_sessions.active('session', '2026-01-02T04:04:05.677Z')).toBeDefined();
  });

  it('gives no session of a disabled user', async () => {
    const { store, web_sessions, user } = await prepare();
    const { users } = store.tables;
    await store.db.update(users).set({ disabled: true }).where(eq(users.id, user.id));
    expect(await web_sessions.active('session', AT)).toBeUndefined();
  });

  it('notes when a session was last seen', async () => {
    const { web_sessions } = await prepare();
    await web_sessions.touch('session', LATER);
    expect((await web_sessions.active('session', AT))?.session.last_seen_at).toBe(LATER);
  });

  it('removes one session with its tickets', async () => {
    const { web_sessions, tickets } = await prepare();
    await tickets.insert(ticketRow());
    await web_sessions.remove('session');
    expect(await web_sessions.active('session', AT)).toBeUndefined();
    expect(await tickets.find('digest', AT)).toBeUndefined();
  });

  it('removes the other sessions of that user only, and says which', async () => {
    const { store, web_sessions, user } = await prepare();
    const { users } = store.tables;
    const other = { ...user, id: 50, username: 'b', username_key: 'b', is_default_admin: null };
    await store.db.insert(users).values(other);
    for (const id of ['second', 'third']) await web_sessions.insert(sessionRow(user.id, { id }));
    await web_sessions.insert(sessionRow(other.id, { id: 'of another user' }));
    expect((await web_sessions.removeOthers(user.id, 'session')).sort()).toEqual(['second', 'third']);
    expect(await web_sessions.removeOthers(user.id, 'session')).toEqual([]);
    expect(await web_sessions.active('of another user', AT)).toBeDefined();
  });

  it('removes what has expired and keeps the rest', async () => {
    const { web_sessions, user } = await prepare();
    await web_sessions.insert(sessionRow(user.id, { id: 'old', expires_at: AT }));
    await web_sessions.removeExpired(AT);
    const long_ago = '2020-01-01T00:00:00.000Z';
    expect(await web_sessions.active('old', long_ago)).toBeUndefined();
    expect(await web_sessions.active('session', long_ago)).toBeDefined();
  });

  it('removes the sessions of a removed user', async () => {
    const { store, web_sessions } = await prepare();
    await store.db.delete(store.tables.users);
    expect(await web_sessions.active('session', AT)).toBeUndefined();
    expect(await store.db.select().from(store.tables.sessions)).toEqual([]);
  });
});
