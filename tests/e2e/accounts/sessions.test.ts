import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import type { WebSession } from '#core/model/accounts/web-session.ts';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import { INSTANT, userOf } from '../../support/features/accounts.ts';
import {
  type Actor,
  describeEachGateway,
  freshAddress,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';

const SESSIONS = '/api/auth/sessions';
const NOT_FOUND = { detail: 'Session not found', code: 'session_not_found' };
const PAST = '2020-01-01T00:00:00.000Z';

describeEachGateway('Sessions', (gateway) => {
  /** A user with this many sessions, the first one first. */
  async function signedIn(username: string, times: number): Promise<[Actor, ...Actor[]]> {
    const more = [];
    const first = await gateway().user({ username });
    while (more.length < times - 1) more.push(await gateway().signIn(username, USER_PASSWORD));
    return [first, ...more];
  }

  const list = async (actor: Actor, query = '') =>
    (await actor.call<WebSession[]>('GET', SESSIONS + query)).body;
  const isOpen = async (actor: Actor | undefined) =>
    (await actor?.call('GET', '/api/auth/me'))?.status === 200;

  it('are listed with time, address and user agent, and nothing more', async () => {
    await gateway().user({ username: 'watched' });
    const address = freshAddress();
    const response = await gateway().anonymous.fetch('/api/auth/login', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': address,
        'user-agent': 'Browser/1.0',
      },
      body: JSON.stringify({ username: 'watched', password: USER_PASSWORD }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    const sessions = await list(gateway().actor(access_token));
    expect(sessions.find(({ current }) => current)).toEqual({
      id: decodeJwt(access_token).jti,
      created_at: expect.stringMatching(INSTANT),
      last_seen_at: expect.stringMatching(INSTANT),
      ip_address: address,
      user_agent: 'Browser/1.0',
      current: true,
      embed: null,
    });
  });

  it('mark the current one', async () => {
    for (const actor of await signedIn('several', 3)) {
      const current = (await list(actor)).filter((session) => session.current);
      expect(current.map(({ id }) => id)).toEqual([decodeJwt(actor.token).jti]);
    }
  });

  it('are listed last seen first, while they are valid', async () => {
    const actors = await signedIn('long ago', 4);
    const { db, tables } = gateway().store;
    const { sessions } = tables;
    const set = (actor: Actor | undefined, fields: { last_seen_at?: string; expires_at?: string }) =>
      db
        .update(sessions)
        .set(fields)
        .where(eq(sessions.id, idOf(actor)));
    await set(actors[1], { expires_at: PAST });
    await set(actors[2], { last_seen_at: PAST });
    await set(actors[3], { last_seen_at: '2100-01-01T00:00:00.000Z' });
    const ids = (await list(actors[0])).map(({ id }) => id);
    expect(ids).toEqual([idOf(actors[3]), idOf(actors[0]), idOf(actors[2])]);
  });

  it('are refused once they have expired', async () => {
    const [actor] = await signedIn('expired', 1);
    const { db, tables } = gateway().store;
    await db
      .update(tables.sessions)
      .set({ expires_at: PAST })
      .where(eq(tables.sessions.id, idOf(actor)));
    const { status, body } = await actor.call('GET', '/api/auth/me');
    expect({ status, body }).toEqual({
      status: 401,
      body: { detail: 'Invalid token', code: 'invalid_token' },
    });
  });

  it('come in pages, with X-Total-Count', async () => {
    const [actor] = await signedIn('paged', 5);
    const all = await list(actor);
    const { headers, body } = await actor.call('GET', `${SESSIONS}?limit=2&offset=1`);
    expect(headers.get('x-total-count')).toBe('5');
    expect(body).toEqual(all.slice(1, 3));
    expect(await list(actor, '?offset=5')).toEqual([]);
  });

  it.each(['limit=0', 'limit=501', 'limit=x', 'offset=-1'])('refuse a page with %s: 422', async (query) => {
    const [actor] = await signedIn(`misread ${query}`, 1);
    expect((await actor.call('GET', `${SESSIONS}?${query}`)).status).toBe(422);
  });

  it('end one by one with 204, including the current one', async () => {
    const [here, there] = await signedIn('tidy', 2);
    const { status, body } = await here.call('DELETE', `${SESSIONS}/${idOf(there)}`);
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect([await isOpen(here), await isOpen(there)]).toEqual([true, false]);
    expect((await here.call('DELETE', `${SESSIONS}/${idOf(here)}`)).status).toBe(204);
    expect(await isOpen(here)).toBe(false);
  });

  it('that end together are counted in the audit log', async () => {
    const [here] = await signedIn('counted', 3);
    const { id } = await userOf(here);
    const { admin } = gateway();
    await here.call('DELETE', `${SESSIONS}?keep_current=true`);
    await admin.call('DELETE', `/api/auth/users/${id}/sessions`);
    const { body } = await admin.call<AuditEntry[]>('GET', '/api/auth/audit?action=session_revoke&limit=2');
    expect(body.map(({ username, detail }) => `${username}: ${detail}`)).toEqual([
      `admin: all sessions of counted (#${id}): 1`,
      'counted: all other own sessions: 2',
    ]);
  });

  it('of another user, unknown and ended ones are all 404', async () => {
    const [here, there] = await signedIn('curious', 2);
    await there?.call('POST', '/api/auth/logout');
    for (const id of [idOf(gateway().admin), idOf(there), 'unknown']) {
      const { status, body } = await here.call('DELETE', `${SESSIONS}/${id}`);
      expect({ status, body }).toEqual({ status: 404, body: NOT_FOUND });
    }
    expect(await isOpen(gateway().admin)).toBe(true);
  });

  it('of somebody else are 404 for an administrator too', async () => {
    const [theirs] = await signedIn('private', 1);
    const { status, body } = await gateway().admin.call('DELETE', `${SESSIONS}/${idOf(theirs)}`);
    expect({ status, body }).toEqual({ status: 404, body: NOT_FOUND });
    expect(await isOpen(theirs)).toBe(true);
  });

  it('all end with sign out everywhere', async () => {
    const [here, there] = await signedIn('leaver', 2);
    const { status, body } = await here.call('DELETE', SESSIONS);
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect([await isOpen(here), await isOpen(there)]).toEqual([false, false]);
  });

  it('end except the current one with keep_current', async () => {
    const [here, there, ...more] = await signedIn('keeper', 3);
    expect((await here.call('DELETE', `${SESSIONS}?keep_current=true`)).status).toBe(204);
    expect(await isOpen(here)).toBe(true);
    for (const actor of [there, ...more]) expect(await isOpen(actor)).toBe(false);
    expect(await list(here)).toHaveLength(1);
  });

  it('are kept when keep_current has an unknown value: 422', async () => {
    const [here] = await signedIn('mumbler', 1);
    expect((await here.call('DELETE', `${SESSIONS}?keep_current=yes`)).status).toBe(422);
    expect(await isOpen(here)).toBe(true);
  });

  it('of a user are listed and ended by an administrator', async () => {
    const [here, there] = await signedIn('supervised', 2);
    const path = `/api/auth/users/${(await userOf(here)).id}/sessions`;
    const { status, body } = await gateway().admin.call<WebSession[]>('GET', path);
    expect({ status, ids: body.map(({ id }) => id).sort() }).toEqual({
      status: 200,
      ids: [idOf(here), idOf(there)].sort(),
    });
    expect(body.every(({ current }) => !current)).toBe(true);
    expect((await gateway().admin.call('DELETE', path)).status).toBe(204);
    expect([await isOpen(here), await isOpen(there)]).toEqual([false, false]);
    expect(await isOpen(gateway().admin)).toBe(true);
  });

  it('update their last-seen time at most once a minute', async () => {
    const [actor] = await signedIn('active', 1);
    const { db, tables } = gateway().store;
    const { sessions } = tables;
    const one = eq(sessions.id, idOf(actor));
    const lastSeen = async () => (await db.select().from(sessions).where(one))[0]?.last_seen_at;
    const seconds_ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
    const recent = seconds_ago(50);
    await db.update(sessions).set({ last_seen_at: recent }).where(one);
    await isOpen(actor);
    expect(await lastSeen()).toBe(recent);
    const stale = seconds_ago(61);
    await db.update(sessions).set({ last_seen_at: stale }).where(one);
    await isOpen(actor);
    await expect.poll(lastSeen).not.toBe(stale);
  });
});

function idOf(actor: Actor | undefined): string {
  return String(decodeJwt(actor?.token ?? '').jti);
}
