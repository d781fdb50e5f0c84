import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, firstUser, LATER, sessionRow, ticketRow, userRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('web sessions', (fresh) => {
  async function prepare() {
    const store = await fresh.migrated();
    const repositories = createRepositories(store);
    const user = await firstUser(repositories);
    await repositories.web_sessions.insert(sessionRow(user.id));
    return { store, user, ...repositories };
  }

  it('returns an unexpired session and its user', async () => {
    const { web_sessions, user } = await prepare();
    expect(await web_sessions.active('session', AT)).toEqual({ session: sessionRow(user.id), user });
    expect(await web_sessions.active('another', AT)).toBeUndefined();
  });

  it('returns no session from the moment it expires', async () => {
    const { web_sessions } = await prepare();
    expect(await web_sessions.active('session', LATER)).toBeUndefined();
    expect(await web_sessions.active('session', '2026-01-02T04:04:05.677Z')).toBeDefined();
  });

  it('returns no session of a disabled user', async () => {
    const { store, web_sessions, user } = await prepare();
    const { users } = store.tables;
    await store.db.update(users).set({ disabled: true }).where(eq(users.id, user.id));
    expect(await web_sessions.active('session', AT)).toBeUndefined();
  });

  it('records when a session was last seen', async () => {
    const { web_sessions } = await prepare();
    await web_sessions.touch('session', LATER);
    expect((await web_sessions.active('session', AT))?.session.last_seen_at).toBe(LATER);
  });

  it('makes one session fresh, unless it has ended', async () => {
    const { web_sessions, user } = await prepare();
    await web_sessions.insert(sessionRow(user.id, { id: 'another', fresh_until: null }));
    expect(await web_sessions.refresh('session', AT)).toBe(true);
    expect((await web_sessions.active('session', AT))?.session.fresh_until).toBe(AT);
    expect((await web_sessions.active('another', AT))?.session.fresh_until).toBeNull();
    expect(await web_sessions.refresh('ended', AT)).toBe(false);
  });

  it('removes one session with its tickets', async () => {
    const { web_sessions, tickets, user } = await prepare();
    await tickets.insert(ticketRow());
    expect(await web_sessions.remove(user.id, 'session')).toEqual(sessionRow(user.id));
    expect(await web_sessions.active('session', AT)).toBeUndefined();
    expect(await tickets.find('digest', AT)).toBeUndefined();
  });

  it('removes only the user’s other sessions', async () => {
    const { web_sessions, users, user } = await prepare();
    const other = await users.insert(userRow({ username: 'b' }));
    for (const id of ['second', 'third']) await web_sessions.insert(sessionRow(user.id, { id }));
    await web_sessions.insert(sessionRow(other.id, { id: 'of another user' }));
    expect(await web_sessions.removeOthers(user.id, 'session')).toBe(2);
    expect((await web_sessions.ofUser(user.id, AT)).map(({ id }) => id)).toEqual(['session']);
    expect(await web_sessions.active('of another user', AT)).toBeDefined();
    expect(await web_sessions.removeOfUser(user.id)).toBe(1);
    expect(await web_sessions.ofUser(user.id, AT)).toEqual([]);
    expect(await web_sessions.active('of another user', AT)).toBeDefined();
  });

  it('removes a session for its own user only', async () => {
    const { web_sessions, user } = await prepare();
    expect(await web_sessions.remove(user.id + 1, 'session')).toBeUndefined();
    expect(await web_sessions.remove(user.id, 'another')).toBeUndefined();
    expect(await web_sessions.remove(user.id, 'session')).toBeDefined();
    expect(await web_sessions.remove(user.id, 'session')).toBeUndefined();
  });

  it('lists the unexpired sessions of a user, last seen first', async () => {
    const { web_sessions, user } = await prepare();
    await web_sessions.insert(sessionRow(user.id, { id: 'seen', last_seen_at: LATER }));
    await web_sessions.insert(sessionRow(user.id, { id: 'expired', expires_at: AT }));
    const own = await web_sessions.ofUser(user.id, AT);
    expect(own).toEqual([sessionRow(user.id, { id: 'seen', last_seen_at: LATER }), sessionRow(user.id)]);
    expect(await web_sessions.ofUser(user.id + 1, AT)).toEqual([]);
  });

  it('lists which sessions still exist for enabled users, expired or not', async () => {
    const { web_sessions, users, user } = await prepare();
    const other = await users.insert(userRow({ username: 'b' }));
    await web_sessions.insert(sessionRow(user.id, { id: 'expired', expires_at: AT }));
    await web_sessions.insert(sessionRow(other.id, { id: 'disabled' }));
    await users.update(other.id, { disabled: true });
    const many = Array.from({ length: 40_000 }, (_, i) => `ended ${i}`);
    const standing = await web_sessions.standing(['session', 'expired', 'disabled', ...many]);
    expect(standing.sort((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'expired', user },
      { id: 'session', user },
    ]);
    expect(await web_sessions.standing([])).toEqual([]);
  });

  it('removes expired sessions and keeps the rest', async () => {
    const { web_sessions, user } = await prepare();
    await web_sessions.insert(sessionRow(user.id, { id: 'old', expires_at: AT }));
    await web_sessions.removeExpired(AT);
    expect(await web_sessions.ofUser(user.id, '2020-01-01T00:00:00.000Z')).toHaveLength(2);
    await web_sessions.removeExpired('2026-01-02T03:04:05.679Z');
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
