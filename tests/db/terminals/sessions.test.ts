import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, instanceRow, LATER, TTL_MS, terminalRow, twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const HOME = { url: 'http://one.test:8443', machine: 'here', proof: 'proof' };
const ONE = { run_id: 'one', is_kept: false, ...HOME };

describeEachStore('terminal sessions', (fresh) => {
  /** Run `one` is running; run `gone` is silent. */
  async function prepare() {
    const store = await fresh.migrated();
    const { instances, terminal_sessions } = createRepositories(store);
    await instances.beat(instanceRow('one'), TTL_MS);
    await instances.beat(instanceRow('gone'), 0);
    const rows = () => store.db.select().from(store.tables.terminal_sessions);
    const listed = async (user_id?: number) => (await terminal_sessions.list(user_id)).map(({ id }) => id);
    return { instances, terminal_sessions, rows, listed };
  }

  it('are stored as given', async () => {
    const { terminal_sessions } = await prepare();
    const quick = terminalRow({ id: 'quick', server_id: null, share_digest: 'digest', recording: true });
    await terminal_sessions.insert(terminalRow(), {});
    await terminal_sessions.insert(quick, { sessions: 2 });
    expect(await terminal_sessions.list(undefined)).toEqual([quick, terminalRow()]);
  });

  it('are listed once their shell has started, newest first', async () => {
    const { terminal_sessions, listed } = await prepare();
    const waiting = { started_at: null, recording: false };
    for (const id of ['a', 'b', 'c']) {
      await terminal_sessions.insert(terminalRow({ id, ...waiting }), {});
    }
    await terminal_sessions.begin('a', { started_at: AT, recording: false });
    await terminal_sessions.begin('b', { started_at: LATER, recording: true });
    expect(await listed()).toEqual(['b', 'a']);
    const [newest] = await terminal_sessions.list(undefined);
    expect(newest).toMatchObject({ started_at: LATER, recording: true });
  });

  it('are listed for one user or for all, without those of instances that have ended', async () => {
    const { instances, terminal_sessions, listed } = await prepare();
    await instances.removeSilent(['gone']);
    await terminal_sessions.insert(terminalRow({ id: 'mine' }), {});
    await terminal_sessions.insert(terminalRow({ id: 'theirs', user_id: 8 }), {});
    await terminal_sessions.insert(terminalRow({ id: 'lost', run_id: 'gone' }), {});
    await terminal_sessions.insert(terminalRow({ id: 'unheard of', run_id: 'nobody' }), {});
    expect(await listed()).toEqual(['mine', 'theirs']);
    expect(await listed(8)).toEqual(['theirs']);
    expect(await listed(9)).toEqual([]);
  });

  it('are listed and count while a keeper may hold them, and are removed when that time is over', async () => {
    const { instances, terminal_sessions, listed } = await prepare();
    await terminal_sessions.insert(terminalRow({ id: 'short', run_id: 'gone', kept_ms: 0 }), {});
    await terminal_sessions.insert(terminalRow({ id: 'long', run_id: 'gone', kept_ms: 60_000 }), {});
    await instances.removeSilent(['gone']);
    expect(await listed()).toEqual(['long', 'short']);
    expect((await terminal_sessions.removeOrphans('one')).map(({ id }) => id)).toEqual(['short']);
    expect(await terminal_sessions.removeOrphans('one')).toEqual([]);
    expect(await listed()).toEqual(['long']);
    expect(await terminal_sessions.home('long')).toBe('kept');
    expect(await terminal_sessions.home('short')).toBeUndefined();
    const another = terminal_sessions.insert(terminalRow({ id: 'another' }), { sessions: 1 });
    await expect(another).rejects.toMatchObject({ code: 'too_many_sessions' });
  });

  it('are continued by another instance, as its own', async () => {
    const { instances, terminal_sessions, rows } = await prepare();
    await terminal_sessions.insert(terminalRow({ id: 'kept', run_id: 'gone', kept_ms: 60_000 }), {});
    await instances.removeSilent(['gone']);
    await terminal_sessions.removeOrphans('one');
    await terminal_sessions.adopt(terminalRow({ id: 'kept', kept_ms: 60_000 }));
    expect(await rows()).toMatchObject([{ run_id: 'one', kept_until: null }]);
    expect(await terminal_sessions.home('kept')).toEqual({ ...ONE, is_kept: true });
  });

  it('have ended when the next process at the address of their instance has not continued them', async () => {
    const { instances, terminal_sessions } = await prepare();
    await terminal_sessions.insert(terminalRow({ id: 'left', run_id: 'gone', kept_ms: 60_000 }), {});
    await instances.supersede({ ...instanceRow('next'), url: instanceRow('gone').url });
    expect((await terminal_sessions.removeOrphans('one')).map(({ id }) => id)).toEqual(['left']);
  });

  it('are limited per user, without those of instances that have ended', async () => {
    const { instances, terminal_sessions, listed } = await prepare();
    await instances.removeSilent(['gone']);
    await terminal_sessions.insert(terminalRow({ id: 'lost', run_id: 'gone' }), { sessions: 2 });
    await terminal_sessions.insert(terminalRow({ id: 'a', started_at: null }), { sessions: 2 });
    await terminal_sessions.insert(terminalRow({ id: 'b' }), { sessions: 2 });
    const third = terminal_sessions.insert(terminalRow({ id: 'c' }), { sessions: 2 });
    await expect(third).rejects.toMatchObject({ name: 'Fault', code: 'too_many_sessions' });
    await terminal_sessions.insert(terminalRow({ id: 'theirs', user_id: 8 }), { sessions: 2 });
    await terminal_sessions.remove('a');
    await terminal_sessions.insert(terminalRow({ id: 'd' }), { sessions: 2 });
    expect(await listed()).toEqual(['b', 'd', 'theirs']);
  });

  it('are limited per user while a quick connect is in progress, over all instances', async () => {
    const { instances, terminal_sessions } = await prepare();
    await instances.beat(instanceRow('two'), TTL_MS);
    await instances.removeSilent(['gone']);
    const dial = (id: string, change = {}) =>
      terminal_sessions.insert(terminalRow({ id, server_id: null, started_at: null, ...change }), {
        dials: 2,
      });
    await terminal_sessions.insert(terminalRow({ id: 'registered', started_at: null }), {});
    await dial('lost', { run_id: 'gone' });
    await dial('open', { started_at: AT });
    await dial('a');
    await dial('b', { run_id: 'two' });
    await expect(dial('c')).rejects.toMatchObject({ name: 'Fault', code: 'too_many_dials' });
    await dial('theirs', { user_id: 8 });
    await terminal_sessions.begin('a', { started_at: AT, recording: false });
    await dial('d');
  });

  it('are limited even when many are opened at once', async () => {
    const [one, two] = await twoInstances(fresh);
    await one.instances.beat(instanceRow('one'), TTL_MS);
    const insert = (i: number) =>
      (i % 2 ? one : two).terminal_sessions.insert(terminalRow({ id: `session ${i}` }), { sessions: 5 });
    const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => insert(i)));
    const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(reasons).toHaveLength(15);
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'too_many_sessions' });
    expect(await two.terminal_sessions.list(7)).toHaveLength(5);
  });

  it('are refreshed in bulk, and restored when another instance has cleared them', async () => {
    const { terminal_sessions } = await prepare();
    await terminal_sessions.insert(terminalRow({ id: 'a' }), {});
    await terminal_sessions.insert(terminalRow({ id: 'b' }), {});
    const news = { last_activity: LATER, participants: 0, recording: true };
    const many = Array.from({ length: 600 }, (_, i) => terminalRow({ id: `gone ${i}`, ...news }));
    await terminal_sessions.refresh([...many, terminalRow({ id: 'b', ...news })]);
    await terminal_sessions.refresh([]);
    const rows = await terminal_sessions.list(undefined);
    expect(rows).toHaveLength(602);
    expect(rows.filter(({ id }) => id.length === 1)).toEqual([
      terminalRow({ id: 'a' }),
      terminalRow({ id: 'b', ...news }),
    ]);
  });

  it('are continued by another instance, also when others had removed them', async () => {
    const { instances, terminal_sessions, rows } = await prepare();
    await terminal_sessions.insert(terminalRow({ id: 'a', run_id: 'gone', share_digest: 'digest' }), {});
    await terminal_sessions.adopt(terminalRow({ id: 'a', share_digest: null }));
    await terminal_sessions.adopt(terminalRow({ id: 'b' }));
    await instances.removeSilent(['gone']);
    expect(await terminal_sessions.removeOrphans('one')).toEqual([]);
    expect(await rows()).toEqual([terminalRow({ id: 'a' }), terminalRow({ id: 'b' })]);
  });

  it('have a home until their instance has ended, also while it is silent', async () => {
    const { instances, terminal_sessions } = await prepare();
    await terminal_sessions.insert(terminalRow({ started_at: null }), {});
    await terminal_sessions.insert(terminalRow({ id: 'lost', run_id: 'gone' }), {});
    expect(await terminal_sessions.home('session')).toEqual(ONE);
    expect(await terminal_sessions.home('lost')).toMatchObject({ run_id: 'gone' });
    await instances.removeSilent(['gone']);
    expect(await terminal_sessions.home('lost')).toBeUndefined();
    expect(await terminal_sessions.home('unknown')).toBeUndefined();
    await terminal_sessions.remove('session');
    expect(await terminal_sessions.home('session')).toBeUndefined();
  });

  it('are found by their share until it is revoked', async () => {
    const { terminal_sessions } = await prepare();
    await terminal_sessions.insert(terminalRow(), {});
    await terminal_sessions.insert(terminalRow({ id: 'other' }), {});
    await terminal_sessions.setShare('session', 'digest');
    expect(await terminal_sessions.homeOfShare('digest')).toEqual(ONE);
    expect(await terminal_sessions.homeOfShare('another')).toBeUndefined();
    await terminal_sessions.setShare('session', null);
    expect(await terminal_sessions.homeOfShare('digest')).toBeUndefined();
  });

  it('are removed and returned when their instance has ended, not while it is silent', async () => {
    const { instances, terminal_sessions, rows } = await prepare();
    for (const id of ['a', 'b']) await terminal_sessions.insert(terminalRow({ id }), {});
    await terminal_sessions.insert(terminalRow({ id: 'lost', run_id: 'gone' }), {});
    expect(await terminal_sessions.removeOrphans('own')).toEqual([]);
    await instances.removeSilent(['one', 'gone']);
    expect(await terminal_sessions.removeOrphans('own')).toEqual([
      terminalRow({ id: 'lost', run_id: 'gone' }),
    ]);
    expect((await rows()).map(({ id }) => id).sort()).toEqual(['a', 'b']);
    await instances.supersede({ ...instanceRow('one'), run_id: 'one again' });
    expect(await terminal_sessions.removeOrphans('one')).toEqual([]);
    expect(await terminal_sessions.removeOrphans('own')).toHaveLength(2);
    expect(await rows()).toEqual([]);
  });
});
