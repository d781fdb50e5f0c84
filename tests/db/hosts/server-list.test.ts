import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createServerList, type ServerList, type ServerQuery } from '#core/hosts/server-list.ts';
import { type Server, toServer } from '#core/model/hosts/server.ts';
import type { VisibleGroups } from '#core/ports/repositories/hosts.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { LATER, LIMITS, serverRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

/** A list and the registry under it, as one instance has them. */
function instanceOn(store: Store) {
  const { servers } = createRepositories(store);
  let read = 0;
  const counted = {
    mark: servers.mark,
    versions: servers.versions,
    byIds(ids: readonly number[]) {
      read += ids.length;
      return servers.byIds(ids);
    },
  };
  const list = createServerList(counted, { shares_work: true });
  return { servers, list, rowsRead: () => read };
}

async function listed(
  list: ServerList,
  visible: VisibleGroups = 'all',
  query: ServerQuery = {},
): Promise<Server[]> {
  const { json } = await list.page(visible, query);
  return JSON.parse(new TextDecoder().decode(json));
}

async function names(...asked: Parameters<typeof listed>): Promise<string[]> {
  return (await listed(...asked)).map(({ name }) => name);
}

describeEachStore('the list of servers', (fresh) => {
  const prepare = async () => instanceOn(await fresh.migrated());
  const two = async () => {
    const url = await fresh.url();
    return [instanceOn(await fresh.migrated(url)), instanceOn(await fresh.migrated(url))] as const;
  };

  it('has the servers as the API shows them, ordered by name', async () => {
    const { servers, list } = await prepare();
    expect(await listed(list)).toEqual([]);
    for (const name of ['beta', 'Öl', 'Alpha', 'alpha', 'Gamma', 'öd'])
      await servers.insert(serverRow({ name }));
    expect(await listed(list)).toEqual((await servers.list()).map(toServer));
    expect(await names(list)).toEqual(['Alpha', 'alpha', 'beta', 'Gamma', 'öd', 'Öl']);
  });

  it('of an edge waits for no work of another request, which may never end', async () => {
    const { servers } = await prepare();
    await servers.insert(serverRow({ name: 'one' }));
    let marks = 0;
    const stuck = { ...servers, mark: () => (++marks === 1 ? new Promise<never>(() => {}) : servers.mark()) };
    const list = createServerList(stuck, { shares_work: false });
    void list.page('all', {});
    expect(await names(list)).toEqual(['one']);
    expect(await names(list)).toEqual(['one']);
  });

  it('has only the groups that a caller may see', async () => {
    const { servers, list } = await prepare();
    for (const group of ['web', 'db', '']) await servers.insert(serverRow({ name: `in ${group}`, group }));
    expect(await names(list)).toEqual(['in ', 'in db', 'in web']);
    expect(await names(list, ['db', 'gone'])).toEqual(['in db']);
    expect(await names(list, [])).toEqual([]);
    expect(await names(list, 'all', { group: 'web' })).toEqual(['in web']);
    expect(await names(list, ['db'], { group: 'web' })).toEqual([]);
    expect(await names(list, ['web'], { group: 'web' })).toEqual(['in web']);
  });

  it('is searched in name, hostname and description for the literal text, ignoring case', async () => {
    const { servers, list } = await prepare();
    await servers.insert(serverRow({ name: 'ÄRGER', hostname: 'one.test', description: '100% mine' }));
    await servers.insert(serverRow({ name: 'other', hostname: 'TWO.test', description: 'under_score' }));
    const found = (search: string) => names(list, 'all', { search });
    expect(await found('ärger')).toEqual(['ÄRGER']);
    expect(await found('two.TEST')).toEqual(['other']);
    expect(await found('% MINE')).toEqual(['ÄRGER']);
    expect(await found('r_s')).toEqual(['other']);
    expect(await found('')).toEqual(['other', 'ÄRGER']);
    expect(await found('\0')).toEqual([]);
  });

  it('is filtered by a whole tag', async () => {
    const { servers, list } = await prepare();
    await servers.insert(serverRow({ name: 'a', tags: ['linux', 'it\'s "x"'] }));
    await servers.insert(serverRow({ name: 'b', tags: ['linux-old'] }));
    const found = (tag: string) => names(list, 'all', { tag });
    expect(await found('linux')).toEqual(['a']);
    expect(await found('it\'s "x"')).toEqual(['a']);
    expect(await found('Linux')).toEqual([]);
  });

  it('is paged, with the number of all that were found', async () => {
    const { servers, list } = await prepare();
    for (const name of ['a', 'b', 'c', 'd']) await servers.insert(serverRow({ name }));
    expect(await names(list, 'all', { limit: 2, offset: 1 })).toEqual(['b', 'c']);
    expect(await names(list, 'all', { limit: 2, offset: 9 })).toEqual([]);
    expect((await list.page('all', { limit: 2, offset: 1 })).total_count).toBe(4);
  });

  it('has an ETag that changes with its content, its length or the view', async () => {
    const { servers, list } = await prepare();
    const { id } = await servers.insert(serverRow({ name: 'a' }));
    const etag = async (...asked: Parameters<ServerList['page']>) => (await list.page(...asked)).etag;
    const page = { limit: 1, offset: 0 };
    const before = [await etag('all', {}), await etag('all', page)];
    expect(before).toEqual([await etag(['web'], {}), await etag('all', page)]); // the same content
    expect(before[0]).toMatch(/^W\/"/);
    expect(await etag([], {})).not.toBe(before[0]);
    await servers.insert(serverRow({ name: 'b' }));
    expect(await etag('all', page)).not.toBe(before[1]); // its total count has changed
    const [two] = [await etag('all', {})];
    await servers.touchConnected(id, LATER);
    expect(await etag('all', {})).not.toBe(two);
  });

  it('shows each change at once, also one of another instance', async () => {
    const [here, there] = await two();
    const { id } = await there.servers.insert(serverRow({ name: 'first' }));
    expect(await names(here.list)).toEqual(['first']);
    await there.servers.touchConnected(id, LATER);
    expect((await listed(here.list))[0]?.last_connected_at).toBe(LATER);
    await there.servers.update(id, { group: 'db' }, LIMITS);
    expect(await names(here.list, ['web'])).toEqual([]);
    expect(await names(here.list, ['db'])).toEqual(['first']);
    await here.servers.update(id, { name: 'second' }, LIMITS);
    expect(await names(there.list)).toEqual(['second']);
    expect(await names(here.list)).toEqual(['second']);
    await here.servers.remove(id);
    expect([await names(here.list), await names(there.list)]).toEqual([[], []]);
  });

  it('shows a change that nothing but the row tells of', async () => {
    const url = await fresh.url();
    const store = await fresh.migrated(url);
    const here = instanceOn(store);
    await here.servers.insert(serverRow({ name: 'before' }));
    expect(await names(here.list)).toEqual(['before']);
    const by_hand = await fresh.open(url);
    await by_hand.batch(() => [sql`update servers set name = 'by hand'`]);
    expect(await names(here.list)).toEqual(['by hand']);
    await store.batch(() => [sql`delete from servers`]);
    expect(await names(here.list)).toEqual([]);
  });

  it('reads each row once for each of its changes', async () => {
    const { servers, list, rowsRead } = await prepare();
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await servers.insert(serverRow({ name }))).id);
    await Promise.all([listed(list), listed(list, ['web']), listed(list, 'all', { search: 'b' })]);
    expect(rowsRead()).toBe(3);
    await servers.touchConnected(ids[1] ?? 0, LATER);
    await Promise.all([listed(list), listed(list)]);
    expect(rowsRead()).toBe(4);
  });

  it('prepares a view once', async () => {
    const { servers, list } = await prepare();
    await servers.insert(serverRow({ name: 'a' }));
    const [one, other] = [await list.page('all', {}), await list.page('all', {})];
    expect(one.json).toBe(other.json);
    await servers.insert(serverRow({ name: 'b' }));
    expect((await list.page('all', {})).json).not.toBe(one.json);
  });

  it('is never older than its request, under many concurrent changes', async () => {
    const [here, there] = await two();
    let is_over = false;
    const reading = Array.from({ length: 4 }, async () => {
      while (!is_over) await listed(here.list);
    });
    const writing = ['x', 'y'].map(async (name) => {
      const { servers } = name === 'x' ? here : there;
      const { id } = await servers.insert(serverRow({ name }));
      for (let port = 1; port <= 25; port += 1) {
        await servers.update(id, { port }, LIMITS);
        const [found] = (await listed(here.list)).filter((server) => server.id === id);
        expect(found?.port).toBe(port);
      }
    });
    await Promise.all(writing).finally(() => {
      is_over = true;
    });
    await Promise.all(reading);
  });
});
