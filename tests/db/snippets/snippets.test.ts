import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { firstUser, snippetRow, twoInstances, userRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('snippets', (fresh) => {
  async function prepare() {
    const repositories = createRepositories(await fresh.migrated());
    const { id: mine } = await firstUser(repositories);
    const { id: theirs } = await repositories.users.insert(userRow({ username: 'b' }));
    return { ...repositories, mine, theirs };
  }

  it('are stored as given, each with its own id', async () => {
    const { snippets, mine } = await prepare();
    const row = snippetRow(mine, { command: "printf '%s\\n' {name}\nls", confirm: true });
    const snippet = await snippets.insert(row, 9);
    expect(snippet).toEqual({ id: 1, ...row });
    expect(await snippets.byId(1)).toEqual(snippet);
    expect(await snippets.byId(2)).toBeUndefined();
  });

  it('are visible to their user, shared ones to everybody, sorted by name ignoring case', async () => {
    const { snippets, mine, theirs } = await prepare();
    await snippets.insert(snippetRow(mine, { name: 'b' }), 9);
    await snippets.insert(snippetRow(theirs, { name: 'C', shared: true }), 9);
    await snippets.insert(snippetRow(mine, { name: 'A', shared: true }), 9);
    const seen = async (user_id: number) => (await snippets.visibleTo(user_id)).map(({ name }) => name);
    expect(await seen(mine)).toEqual(['A', 'b', 'C']);
    expect(await seen(theirs)).toEqual(['A', 'C']);
  });

  it('change only the given fields', async () => {
    const { snippets, mine } = await prepare();
    const snippet = await snippets.insert(snippetRow(mine), 9);
    const changed = { ...snippet, name: 'new', shared: true };
    expect(await snippets.update(snippet.id, { name: 'new', shared: true })).toEqual(changed);
    expect(await snippets.update(snippet.id, {})).toEqual(changed);
    expect(await snippets.byId(snippet.id)).toEqual(changed);
    expect(await snippets.update(99, { name: 'new' })).toBeUndefined();
  });

  it('are removed once, and with their user', async () => {
    const { snippets, users, mine, theirs } = await prepare();
    await snippets.insert(snippetRow(mine), 9);
    await snippets.insert(snippetRow(theirs, { shared: true }), 9);
    expect(await snippets.remove(1)).toBe(true);
    expect(await snippets.remove(1)).toBe(false);
    await users.remove(theirs);
    expect(await snippets.visibleTo(mine)).toEqual([]);
  });

  it('are refused for a deleted user', async () => {
    const { snippets } = await prepare();
    const insertion = snippets.insert(snippetRow(99), 9);
    await expect(insertion).rejects.toMatchObject({ name: 'Fault', code: 'invalid_token' });
  });

  it('are limited per user, even when many are created at once', async () => {
    const [one, two] = await twoInstances(fresh);
    const { id: mine } = await firstUser(one);
    const { id: theirs } = await one.users.insert(userRow({ username: 'b' }));
    const insert = (i: number) => (i % 2 ? one : two).snippets.insert(snippetRow(mine), 5);
    const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => insert(i)));
    const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(reasons).toHaveLength(15);
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'too_many_snippets' });
    expect(await one.snippets.visibleTo(mine)).toHaveLength(5);
    expect(await two.snippets.insert(snippetRow(theirs), 5)).toBeDefined();
  });
});
