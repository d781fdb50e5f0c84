import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import {
  AT,
  apiKeyRow,
  firstUser,
  LATER,
  serverRow,
  sessionRow,
  ticketRow,
  userRow,
} from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const embedded = { embed: { server_id: 7, kind: 'files', mode: 'ro', ends_at: LATER } } as const;

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

  it('begins a session only for the password that was checked', async () => {
    const { web_sessions, users, user } = await prepare();
    const begin = (id: string, hash: string | null) => web_sessions.begin(sessionRow(user.id, { id }), hash);
    await begin('right', user.password_hash);
    expect((await web_sessions.active('right', AT))?.session).toEqual(sessionRow(user.id, { id: 'right' }));
    await users.setPassword(user.id, 'a new hash', { must_change_password: false });
    await expect(begin('old', user.password_hash)).rejects.toMatchObject({ code: 'invalid_credentials' });
    await expect(begin('none', null)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it('begins no session of a user who was disabled or deleted', async () => {
    const { store, web_sessions, user } = await prepare();
    const { users } = store.tables;
    const begin = (user_id: number) =>
      web_sessions.begin(sessionRow(user_id, { id: 'late' }), user.password_hash);
    await store.db.update(users).set({ disabled: true }).where(eq(users.id, user.id));
    await expect(begin(user.id)).rejects.toMatchObject({ code: 'invalid_credentials' });
    await expect(begin(user.id + 1)).rejects.toMatchObject({ code: 'invalid_credentials' });
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

  it('lists which sign-ins still exist for enabled users, expired or not, and unexpired embedded sessions', async () => {
    const { web_sessions, users, user } = await prepare();
    const other = await users.insert(userRow({ username: 'b' }));
    await web_sessions.insert(sessionRow(user.id, { id: 'expired', expires_at: AT }));
    await web_sessions.insert(sessionRow(other.id, { id: 'disabled' }));
    await users.update(other.id, { disabled: true });
    const many = Array.from({ length: 40_000 }, (_, i) => `ended ${i}`);
    await web_sessions.insert(sessionRow(user.id, { ...embedded, id: 'embedded' }));
    await web_sessions.insert(sessionRow(user.id, { ...embedded, id: 'embedded before', expires_at: AT }));
    const ids = ['session', 'expired', 'disabled', 'embedded', 'embedded before', ...many];
    const standing = await web_sessions.standing(ids, AT);
    expect(standing.sort((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'embedded', user, expires_at: sessionRow(user.id).expires_at },
      { id: 'expired', user, expires_at: null },
      { id: 'session', user, expires_at: null },
    ]);
    expect(await web_sessions.standing([], AT)).toEqual([]);
  });

  it('keeps what an embedded session is bound to', async () => {
    const { web_sessions, user } = await prepare();
    const row = sessionRow(user.id, { ...embedded, id: 'embedded', minted_session_id: 'session' });
    await web_sessions.insert(row);
    expect((await web_sessions.active('embedded', AT))?.session).toEqual(row);
  });

  it('extends an embedded session until it expires or ends, and no sign-in', async () => {
    const { web_sessions, user } = await prepare();
    await web_sessions.insert(sessionRow(user.id, { ...embedded, id: 'embedded' }));
    expect(await web_sessions.extend('embedded', AT, '2027-01-01T00:00:00.000Z')).toBe(true);
    expect((await web_sessions.active('embedded', LATER))?.session.last_seen_at).toBe(AT);
    expect(await web_sessions.extend('embedded', '2027-01-01T00:00:00.000Z', LATER)).toBe(false);
    expect(await web_sessions.extend('session', AT, LATER)).toBe(false);
    await web_sessions.remove(user.id, 'embedded');
    expect(await web_sessions.extend('embedded', AT, LATER)).toBe(false);
  });

  it('expires the embedded sessions whose users do not reach their servers, and no others', async () => {
    const { web_sessions, users, servers, user } = await prepare();
    const [web, lab] = [
      await servers.insert(serverRow({ name: 'web', group: 'web' })),
      await servers.insert(serverRow({ name: 'lab', group: 'lab "1"' })),
    ];
    const guest = await users.insert(
      userRow({ username: 'b', is_admin: false, allowed_groups: ['lab "1"', 'x'] }),
    );
    await users.update(user.id, { is_admin: true });
    const start = (user_id: number, id: string, server_id: number) =>
      web_sessions.insert(sessionRow(user_id, { id, embed: { ...embedded.embed, server_id } }));
    await start(user.id, 'of an administrator', web.id);
    await start(guest.id, 'in reach', lab.id);
    await start(guest.id, 'out of reach', web.id);
    await start(guest.id, 'of no server', 999);
    await web_sessions.insert(sessionRow(guest.id, { id: 'sign-in' }));
    const over = async () => (await web_sessions.takeExpiredEmbeds(AT)).map(({ id }) => id).sort();
    await web_sessions.expireUnreachable({ user_id: user.id }, AT);
    await web_sessions.expireUnreachable({ server_id: lab.id }, AT);
    expect(await over()).toEqual([]);
    await web_sessions.expireUnreachable({ server_id: web.id }, AT);
    expect(await over()).toEqual(['out of reach']);
    await users.update(guest.id, { allowed_groups: ['lab'] });
    await web_sessions.expireUnreachable({ user_id: guest.id }, AT);
    expect(await over()).toEqual(['in reach', 'of no server']);
    await web_sessions.expireUnreachable({}, AT);
    expect(await over()).toEqual([]);
    expect(await web_sessions.active('sign-in', AT)).toBeDefined();
  });

  it('removes an embedded session with the session or API key that minted it', async () => {
    const { web_sessions, api_keys, user } = await prepare();
    const key = await api_keys.insert(apiKeyRow(user.id), 10);
    await web_sessions.insert(
      sessionRow(user.id, { ...embedded, id: 'by session', minted_session_id: 'session' }),
    );
    await web_sessions.insert(sessionRow(user.id, { ...embedded, id: 'by key', minted_key_id: key.id }));
    await web_sessions.remove(user.id, 'session');
    expect(await web_sessions.active('by session', AT)).toBeUndefined();
    expect(await web_sessions.active('by key', AT)).toBeDefined();
    await api_keys.remove(user.id, key.id);
    expect(await web_sessions.active('by key', AT)).toBeUndefined();
  });

  it('starts no embedded session for a minter that has ended', async () => {
    const { web_sessions, user } = await prepare();
    const row = sessionRow(user.id, { ...embedded, id: 'late', minted_session_id: 'ended' });
    await expect(web_sessions.insertEmbed(row, 10)).rejects.toMatchObject({ code: 'invalid_ticket' });
  });

  it('starts no more embedded sessions at once than a user may have, however many are asked for', async () => {
    const { web_sessions, user } = await prepare();
    const start = (id: string, expires_at = LATER) =>
      web_sessions.insertEmbed(sessionRow(user.id, { ...embedded, id, expires_at }), 2);
    await start('expired', AT);
    const asked = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => start(id)));
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused).toEqual(['too_many_embeds', 'too_many_embeds']);
    expect(await web_sessions.ofUser(user.id, AT)).toHaveLength(3);
  });

  it('keeps an expired sign-in until the end of what it minted is recorded', async () => {
    const { web_sessions, user } = await prepare();
    await web_sessions.insert(sessionRow(user.id, { id: 'minter', expires_at: AT }));
    const row = sessionRow(user.id, {
      ...embedded,
      id: 'minted',
      minted_session_id: 'minter',
      expires_at: AT,
    });
    await web_sessions.insertEmbed(row, undefined);
    await web_sessions.removeExpired(LATER);
    expect((await web_sessions.takeExpiredEmbeds(LATER)).map(({ id }) => id)).toEqual(['minted']);
    await web_sessions.removeExpired(LATER);
    expect(await web_sessions.ofUser(user.id, '2020-01-01T00:00:00.000Z')).toHaveLength(1);
  });

  it('removes expired embedded sessions once, apart from sign-ins', async () => {
    const { web_sessions, user } = await prepare();
    await web_sessions.insert(sessionRow(user.id, { ...embedded, id: 'over', expires_at: AT }));
    await web_sessions.removeExpired(LATER);
    expect((await web_sessions.takeExpiredEmbeds(AT)).map(({ id }) => id)).toEqual(['over']);
    expect(await web_sessions.takeExpiredEmbeds(LATER)).toEqual([]);
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
