import { beforeEach, describe, expect, it } from 'vitest';
import type { ImportedServers } from '#core/model/hosts/server-transfer.ts';
import { importServers, type Refusal, serversOf, waysOf } from '../../support/features/imports.ts';
import { statusOf } from '../../support/features/statuses.ts';
import { describeEachGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const MOST_HOPS = 8;
const MANY = 2000;
const MIB = 1024 * 1024;

/** Each jumps through the one before. */
const chain = (length: number, first: object = {}) =>
  Array.from({ length }, (_, i) => ({
    name: `hop ${i}`,
    ...(i === 0 ? first : { jump_via_name: `hop ${i - 1}` }),
  }));

async function clear({ admin, store }: TestGateway): Promise<void> {
  await store.db.update(store.tables.servers).set({ jump_via_id: null });
  for (const { id } of (await admin.call<{ id: number }[]>('GET', '/api/servers')).body) {
    await admin.call('DELETE', `/api/servers/${id}`);
  }
}

describeEachGateway('An import', (gateway) => {
  beforeEach(() => clear(gateway()));

  it('adds servers with the documented defaults, in the order of the file', async () => {
    const { status, body } = await importServers(gateway(), [{ name: 'b' }, { name: 'a', port: 2222 }]);
    expect(status).toBe(201);
    expect(
      body.created.map(({ name, port, auth_method, sftp_enabled }) => [
        name,
        port,
        auth_method,
        sftp_enabled,
      ]),
    ).toEqual([
      ['b', 22, 'password', true],
      ['a', 2222, 'password', true],
    ]);
    expect(body.warnings).toEqual(['No credential is stored for: b, a']);
    expect(await statusOf(gateway().admin, body.created[0]?.id ?? 0)).toMatchObject({ status: 'unchecked' });
  });

  it('seals the imported credentials, and returns none', async () => {
    const { body } = await importServers(gateway(), [{ name: 'sealed', password: 'hunter2-hunter2' }]);
    expect(body.created).toMatchObject([{ has_password: true }]);
    expect(JSON.stringify(body)).not.toMatch(/hunter2|_sealed/);
    const { db, tables } = gateway().store;
    const [row] = await db.select().from(tables.servers);
    expect(row?.password_sealed).toMatch(/^v2:/);
    expect(JSON.stringify(row)).not.toContain('hunter2');
  });

  it('ignores pins, ids and times in the file', async () => {
    const foreign = { host_key: 'AAAA', host_key_fingerprint: 'SHA256:x', announced_host_keys: ['SHA256:y'] };
    const times = { created_at: '2001-01-01T00:00:00.000Z', last_connected_at: '2001-01-01T00:00:00.000Z' };
    const { body } = await importServers(gateway(), [{ id: 4711, name: 'plain', ...foreign, ...times }]);
    expect(body.created).toMatchObject([
      { host_key_fingerprint: '', announced_host_keys: [], last_connected_at: null },
    ]);
    expect(body.created[0]?.id).not.toBe(4711);
    expect(body.created[0]?.created_at).not.toMatch(/^2001/);
  });

  it('warns about existing names, and still adds the servers', async () => {
    await gateway().addServer({ name: 'twin' });
    const { body } = await importServers(gateway(), [{ name: 'twin', auth_method: 'prompt' }]);
    expect(body.warnings).toEqual(['There are servers of these names already: twin']);
    expect(await serversOf(gateway())).toHaveLength(2);
  });

  it(`takes ${MANY} servers at once, half of them behind others`, async () => {
    const servers = Array.from({ length: MANY }, (_, i) => ({
      name: `n${i}`,
      auth_method: 'prompt',
      ...(i % 2 ? { jump_via_name: `n${i - 1}` } : {}),
    }));
    const { status, body } = await importServers(gateway(), servers);
    expect([status, body.created.length, body.warnings]).toEqual([201, MANY, []]);
    const ids = new Map(body.created.map(({ id, name }) => [name, id]));
    for (const { name, jump_via_id } of body.created) {
      const i = Number(name.slice(1));
      expect(jump_via_id).toBe(i % 2 ? ids.get(`n${i - 1}`) : null);
    }
    const { db, tables } = gateway().store;
    await db.update(tables.servers).set({ jump_via_id: null });
    await db.delete(tables.servers);
  });

  describe('resolves a jump host', () => {
    it('by name in the file before the registry', async () => {
      await gateway().addServer({ name: 'gate' });
      const { body } = await importServers(gateway(), [
        { name: 'in', jump_via_name: 'gate' },
        { name: 'gate' },
      ]);
      expect(body.created[0]?.jump_via_id).toBe(body.created[1]?.id);
    });

    it('by name in the registry', async () => {
      const { id } = await gateway().addServer({ name: 'gate' });
      const { body } = await importServers(gateway(), [
        { name: 'in', jump_via_name: 'gate', jump_via_id: 3 },
      ]);
      expect(body.created).toMatchObject([{ jump_via_id: id }]);
    });

    it.each([
      ['without a name', {}],
      ['with a name that is nowhere', { jump_via_name: 'renamed since' }],
    ])('by its old id inside the file %s', async (_what, named) => {
      const { body } = await importServers(gateway(), [
        { id: 70, name: 'in', jump_via_id: 71, ...named },
        { id: 71, name: 'gate' },
      ]);
      expect(body.created[0]?.jump_via_id).toBe(body.created[1]?.id);
    });

    it('never by raw id', async () => {
      const { id } = await gateway().addServer({ name: 'not meant' });
      const { body } = await importServers(gateway(), [{ name: 'in', jump_via_id: id }]);
      expect(body.created).toMatchObject([{ jump_via_id: null }]);
      expect(body.warnings).toContain(
        'in: its jump host has no name and is not in the file; added without a jump host',
      );
    });

    it('leaves it out with a warning when it is unknown or ambiguous', async () => {
      for (const hostname of ['a.example', 'b.example'])
        await gateway().addServer({ name: 'twin', hostname });
      const { body } = await importServers(gateway(), [
        { name: 'one', jump_via_name: 'nowhere' },
        { name: 'two', jump_via_name: 'twin' },
        { name: 'three', jump_via_name: 'same' },
        { name: 'same' },
        { name: 'same' },
      ]);
      expect(body.created.map(({ jump_via_id }) => jump_via_id)).toEqual([null, null, null, null, null]);
      expect(body.warnings).toEqual(
        expect.arrayContaining([
          'one: there is no server named nowhere; added without a jump host',
          'two: there are several servers named twin; added without a jump host',
          'three: there are several servers named same; added without a jump host',
        ]),
      );
    });

    it('to none when it is 0 or null', async () => {
      const { body } = await importServers(gateway(), [
        { name: 'zero', auth_method: 'prompt', jump_via_id: 0 },
        { name: 'null', auth_method: 'prompt', jump_via_id: null, jump_via_name: null },
      ]);
      expect(body.warnings).toEqual([]);
    });

    it(`up to ${MOST_HOPS} of them in a row`, async () => {
      const { status } = await importServers(gateway(), chain(MOST_HOPS + 1));
      expect(status).toBe(201);
      expect((await waysOf(gateway()))[`hop ${MOST_HOPS}`]).toBe(`hop ${MOST_HOPS - 1}`);
    });
  });

  describe('adds nothing at all', () => {
    async function expectRefused(servers: readonly object[]): Promise<{ status: number; body: Refusal }> {
      const before = await serversOf(gateway());
      const { status, body } = await importServers(gateway(), servers);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(await serversOf(gateway())).toEqual(before);
      return { status, body };
    }

    it('when jump hosts form a cycle', async () => {
      const { status, body } = await expectRefused([
        { name: 'fine' },
        { name: 'a', jump_via_name: 'b' },
        { name: 'b', jump_via_name: 'c' },
        { name: 'c', jump_via_name: 'a' },
      ]);
      expect([status, body.code]).toEqual([409, 'jump_cycle']);
    });

    it('when one jumps through itself', async () => {
      const { body } = await expectRefused([{ name: 'a', jump_via_name: 'a' }]);
      expect(body.code).toBe('jump_cycle');
    });

    it('when one would be behind more than 8 jump hosts, including registered ones', async () => {
      expect((await expectRefused(chain(MOST_HOPS + 2))).body.code).toBe('jump_too_deep');
      const outer = await gateway().addServer({ name: 'outer' });
      await gateway().addServer({ name: 'gate', jump_via_id: outer.id });
      const { status, body } = await expectRefused(chain(MOST_HOPS, { jump_via_name: 'gate' }));
      expect([status, body.code]).toEqual([409, 'jump_too_deep']);
    });

    it('when one object is invalid, and names its position', async () => {
      const { status, body } = await expectRefused([{ name: 'fine' }, { name: 'bad', port: 70_000 }]);
      expect([status, body.code, body.errors?.map(({ path }) => path)]).toEqual([
        422,
        'validation',
        ['servers.1.port'],
      ]);
    });

    it('when a private key cannot be read, and names the server', async () => {
      const { status, body } = await expectRefused([
        { name: 'fine' },
        { name: 'odd', auth_method: 'key', private_key: 'no key at all' },
      ]);
      expect([status, body.code]).toEqual([422, 'unreadable_private_key']);
      expect(body.detail).toMatch(/^odd: /);
      expect(body.detail).not.toContain('no key at all');
    });

    it('when it holds more than 8 MiB or 5,000 servers', async () => {
      const large = await expectRefused([{ name: 'a', comment: 'x'.repeat(8 * MIB) }]);
      expect([large.status, large.body.code]).toEqual([413, 'body_too_large']);
      expect(large.body.detail).toContain('8 MiB');
      const many = await expectRefused(Array.from({ length: 5001 }, (_, i) => ({ name: `n${i}` })));
      expect([many.status, many.body.code]).toEqual([422, 'validation']);
    });

    it('for a non-admin', async () => {
      const user = await gateway().user({ username: `user ${Math.random()}`, allowed_groups: ['lab'] });
      const servers = [{ name: 'mine', hostname: 'h.example', username: 'u' }];
      const { status, body } = await user.call('POST', '/api/servers/import', { servers });
      expect([status, body['code']]).toEqual([403, 'admin_only']);
      expect(await serversOf(gateway())).toEqual([]);
    });
  });
});

describeEachGateway('Imported servers', (gateway) => {
  it('connect through each other with the imported credentials', async () => {
    const sshd: Sshd = await startSshd();
    const { port, username, password, private_key } = sshd;
    const address = { hostname: '127.0.0.1', port, username };
    const { body } = await importServers(gateway(), [
      { name: 'inner', ...address, jump_via_name: 'gate', auth_method: 'key', private_key },
      { name: 'gate', ...address, password },
    ]);
    const tested = await gateway().admin.call<{ message: string }>(
      'POST',
      `/api/servers/${(body as ImportedServers).created[0]?.id}/test`,
    );
    expect(tested.body.message).toBe('Connection successful (via jump host)');
    await sshd.stop();
  });
});
