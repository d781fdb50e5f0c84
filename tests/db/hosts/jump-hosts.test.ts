import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { ServerRow } from '#core/model/hosts/server.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { insertChain, LIMITS, serverRow, twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const DEEP = { code: 'jump_too_deep' };

function ends(chain: readonly ServerRow[]): { first: ServerRow; last: ServerRow } {
  const [first, last] = [chain[0], chain.at(-1)];
  if (!first || !last) throw new Error('The chain is empty');
  return { first, last };
}

describeEachStore('jump hosts', (fresh) => {
  const prepare = async () => createRepositories(await fresh.migrated());

  it('are refused when they lead back to the server, and nothing changes', async () => {
    const { servers } = await prepare();
    const a = await servers.insert(serverRow({ name: 'a' }));
    const b = await servers.insert(serverRow({ name: 'b', jump_via_id: a.id }));
    const c = await servers.insert(serverRow({ name: 'c', jump_via_id: b.id }));
    for (const jump_via_id of [a.id, b.id, c.id]) {
      const verb = servers.update(a.id, { jump_via_id, name: 'changed' }, LIMITS);
      await expect(verb).rejects.toMatchObject({ code: 'jump_cycle' });
    }
    expect(await servers.byId(a.id)).toEqual(a);
    expect(await servers.update(c.id, { jump_via_id: a.id, tags: ['x'] }, LIMITS)).toEqual({
      ...c,
      jump_via_id: a.id,
      tags: ['x'],
    });
    expect(await servers.update(99, { jump_via_id: a.id }, LIMITS)).toBeUndefined();
  });

  it('that would form a cycle together are saved for one of two concurrent changes', async () => {
    const [first, second] = await twoInstances(fresh);
    const [a, b] = [await first.servers.insert(serverRow()), await first.servers.insert(serverRow())];
    for (let round = 0; round < 30; round += 1) {
      const ends = await Promise.allSettled([
        first.servers.update(a.id, { jump_via_id: b.id }, LIMITS),
        second.servers.update(b.id, { jump_via_id: a.id }, LIMITS),
      ]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const reason: unknown = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))[0];
      expect(reason).toMatchObject({ code: 'jump_cycle' });
      for (const { id } of [a, b]) await first.servers.update(id, { jump_via_id: null }, LIMITS);
    }
  });

  it('may form a chain of eight before a server, and not nine', async () => {
    const repositories = await prepare();
    const { last: eighth } = ends(await insertChain(repositories, 8));
    const server = await repositories.servers.insert(serverRow());
    const { last: ninth } = ends(await insertChain(repositories, 1, eighth.id));
    const via = (jump_via_id: number) => repositories.servers.update(server.id, { jump_via_id }, LIMITS);
    await expect(via(ninth.id)).rejects.toMatchObject(DEEP);
    expect(await repositories.servers.byId(server.id)).toEqual(server);
    expect((await via(eighth.id))?.jump_via_id).toBe(eighth.id);
  });

  it('are also counted for the servers that jump through the changed one', async () => {
    const repositories = await prepare();
    const { last: fifth } = ends(await insertChain(repositories, 5));
    const { last: sixth } = ends(await insertChain(repositories, 1, fifth.id));
    const { first: root } = ends(await insertChain(repositories, 4));
    await insertChain(repositories, 2, root.id);
    const via = (jump_via_id: number) => repositories.servers.update(root.id, { jump_via_id }, LIMITS);
    await expect(via(sixth.id)).rejects.toMatchObject(DEEP); // Six above, the server itself, and two more below.
    expect((await via(fifth.id))?.jump_via_id).toBe(fifth.id);
  });

  it('are refused with different faults for a cycle and for a long chain', async () => {
    const repositories = await prepare();
    const { first, last } = ends(await insertChain(repositories, 12));
    const verb = repositories.servers.update(first.id, { jump_via_id: last.id }, LIMITS);
    await expect(verb).rejects.toMatchObject({ code: 'jump_cycle' });
  });

  it('that would be too many together are saved for one of two concurrent changes', async () => {
    const [one, two] = await twoInstances(fresh);
    const { last: upper } = ends(await insertChain(one, 4));
    const { first: middle, last: low } = ends(await insertChain(one, 4));
    const { first: lower } = ends(await insertChain(one, 3));
    for (let round = 0; round < 20; round += 1) {
      const ends = await Promise.allSettled([
        one.servers.update(middle.id, { jump_via_id: upper.id }, LIMITS),
        two.servers.update(lower.id, { jump_via_id: low.id }, LIMITS),
      ]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const reason: unknown = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))[0];
      expect(reason).toMatchObject(DEEP);
      for (const { id } of [middle, lower]) await one.servers.update(id, { jump_via_id: null }, LIMITS);
    }
  });

  it('may change for a server that thousands jump through', async () => {
    const { servers } = await prepare();
    const [root, host] = [await servers.insert(serverRow()), await servers.insert(serverRow())];
    const behind = Array.from({ length: 5_000 }, () => ({
      ...serverRow({ jump_via_id: root.id }),
      jump_via_index: undefined,
    }));
    await servers.insertAll(behind);
    expect((await servers.update(root.id, { jump_via_id: host.id }, LIMITS))?.jump_via_id).toBe(host.id);
    await expect(servers.update(root.id, { jump_via_id: host.id }, { most_hops: 1 })).rejects.toMatchObject(
      DEEP,
    );
  });
});

describeEachStore('a circle that is in the rows already', (fresh) => {
  async function prepare() {
    const store = await fresh.migrated();
    const repositories = createRepositories(store);
    const { first, last } = ends(await insertChain(repositories, 3));
    const { servers } = store.tables;
    await store.db.update(servers).set({ jump_via_id: last.id }).where(eq(servers.id, first.id));
    return { ...repositories, inCircle: first };
  }

  it('is refused for every server in it', async () => {
    const { servers, inCircle } = await prepare();
    const { id } = await servers.insert(serverRow());
    await expect(servers.update(id, { jump_via_id: inCircle.id }, LIMITS)).rejects.toMatchObject(DEEP);
  });

  it('is broken by a change of one of its servers', async () => {
    const { servers, inCircle } = await prepare();
    const host = await servers.insert(serverRow());
    const opened = await servers.update(inCircle.id, { jump_via_id: host.id }, LIMITS);
    expect(opened?.jump_via_id).toBe(host.id);
    const shut = servers.update(inCircle.id, { jump_via_id: inCircle.id }, LIMITS);
    await expect(shut).rejects.toMatchObject({ code: 'jump_cycle' });
  });
});
