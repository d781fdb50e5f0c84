import { and, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { createKey, makeStale } from '../../support/features/accounts.ts';
import { type Actor, ADMIN_PASSWORD, describeEachGateway } from '../../support/gateway/gateway.ts';
import { createKey as createKeyPair } from '../../support/hosts/key-pairs.ts';

const STEP_UP = { status: 403, code: 'step_up_required' };
const CREDENTIAL = { status: 422, code: 'credential_required' };
const DONE = { status: 200, code: undefined };
const NO_KEY = { private_key: '' };

const HOST_KEY = Buffer.concat([
  Buffer.from([0, 0, 0, 11]),
  Buffer.from('ssh-ed25519'),
  Buffer.from([0, 0, 0, 32]),
  Buffer.alloc(32, 7),
]).toString('base64');

describeEachGateway('A server with a stored credential', (gateway) => {
  const changed = async (actor: Actor, { id }: Server, patch: object) => {
    const { status, body } = await actor.call('PUT', `/api/servers/${id}`, patch);
    return { status, code: body['code'] };
  };
  const unpinned = async (actor: Actor, { id }: Server) => {
    const { status, body } = await actor.call('DELETE', `/api/servers/${id}/host-key`);
    return { status, code: body['code'] };
  };
  const accepted = async (actor: Actor, { id }: Server) => {
    const host_key = `ssh-ed25519 ${HOST_KEY}`;
    const { status, body } = await actor.call('PUT', `/api/servers/${id}/host-key`, { host_key });
    return { status, code: body['code'] };
  };
  const imported = async (actor: Actor, hostname: string) => {
    const text = `${hostname} ssh-ed25519 ${HOST_KEY}\n`;
    const { status, body } = await actor.call('POST', '/api/servers/host-keys/import', { text });
    return { status, code: body['code'] };
  };
  const stored = async ({ id }: Server) =>
    (await gateway().admin.call<Server>('GET', `/api/servers/${id}`)).body;
  const add = (fields: object) => gateway().addServer({ port: 1, ...fields });
  const stale = async () => makeStale(gateway(), await gateway().signIn('admin', ADMIN_PASSWORD));
  const key = async () =>
    gateway().actor((await createKey(await gateway().signIn('admin', ADMIN_PASSWORD))).key);

  async function pin({ id }: Server): Promise<void> {
    const { db, tables } = gateway().store;
    const pinned = { host_key: HOST_KEY, host_key_fingerprint: 'SHA256:of-a-test' };
    await db.update(tables.servers).set(pinned).where(eq(tables.servers.id, id));
  }

  const MOVES: [string, (bastion: Server) => object][] = [
    ['another host name', () => ({ hostname: 'evil.example' })],
    ['another port', () => ({ port: 2 })],
    ['a jump host', ({ id }) => ({ jump_via_id: id })],
  ];

  describe.each(MOVES)('and %s', (_what, moveTo) => {
    it('wants a fresh session', async () => {
      const move = moveTo(await add({ name: 'bastion' }));
      const server = await add({ name: 'vault', password: 'of the vault' });
      expect(await changed(await stale(), server, move)).toEqual(STEP_UP);
      expect(await stored(server)).toEqual(server);
      expect(await changed(gateway().admin, server, move)).toEqual(DONE);
    });

    it('takes an API key’s change only with a new credential', async () => {
      const move = moveTo(await add({ name: 'bastion' }));
      const server = await add({ name: 'vault', password: 'of the vault' });
      const robot = await key();
      expect(await changed(robot, server, move)).toEqual(CREDENTIAL);
      expect(await stored(server)).toEqual(server);
      expect(await changed(robot, server, { ...move, password: 'of the new host' })).toEqual(DONE);
    });
  });

  it('names what an API key must send', async () => {
    const server = await add({ name: 'named', password: 'of the vault' });
    const { body } = await (await key()).call('PUT', `/api/servers/${server.id}`, { port: 2 });
    expect(body).toEqual({
      detail: 'named has a stored credential: send password in the same request, or sign in',
      code: 'credential_required',
      errors: [{ path: 'password', message: 'Required: the stored one must not reach another host' }],
    });
  });

  it('needs each stored credential replaced or cleared, used or not', async () => {
    const server = await add({ name: 'both', password: 'of the vault' });
    const { db, tables } = gateway().store;
    const sealed = { private_key_sealed: 'sealed' };
    await db.update(tables.servers).set(sealed).where(eq(tables.servers.id, server.id));
    const robot = await key();
    expect(await changed(robot, server, { port: 2, password: 'new' })).toEqual(CREDENTIAL);
    expect(await changed(robot, server, { port: 2, ...NO_KEY })).toEqual(CREDENTIAL);
    expect(await changed(robot, server, { port: 2, password: '', ...NO_KEY })).toEqual(DONE);
  });

  it('may be changed otherwise, also by a form that sends the same address', async () => {
    const server = await add({ name: 'renamed', password: 'of the vault' });
    const { hostname, port, jump_via_id } = server;
    const patch = { name: 'renamed again', hostname, port, jump_via_id };
    expect(await changed(await stale(), server, patch)).toEqual(DONE);
    expect(await changed(await key(), server, { ...patch, jump_via_id: 0 })).toEqual(DONE);
  });

  it('keeps its pinned host key from a stale session and from an API key', async () => {
    const server = await add({ name: 'pinned', password: 'of the vault' });
    await pin(server);
    expect(await unpinned(await stale(), server)).toEqual(STEP_UP);
    expect(await unpinned(await key(), server)).toEqual(CREDENTIAL);
    expect(await accepted(await stale(), server)).toEqual(STEP_UP);
    expect(await accepted(await key(), server)).toEqual(CREDENTIAL);
    expect((await stored(server)).host_key_fingerprint).toBe('SHA256:of-a-test');
    expect(await unpinned(gateway().admin, server)).toEqual(DONE);
  });

  it('gets no host key from a known_hosts file of a stale session or an API key', async () => {
    const server = await add({
      name: 'new',
      hostname: 'unknown.example',
      port: 22,
      password: 'of the vault',
    });
    expect(await imported(await stale(), 'unknown.example')).toEqual(STEP_UP);
    expect(await imported(await key(), 'unknown.example')).toEqual(CREDENTIAL);
    expect((await stored(server)).host_key_fingerprint).toBe('');
    expect((await imported(gateway().admin, 'unknown.example')).status).toBe(201);
    expect((await imported(await key(), 'unknown.example')).status).toBe(201); // nothing to pin any more
  });

  it('without a pin protects the jump hosts in front of it, even those without credentials', async () => {
    const outer = await add({ name: 'outer', auth_method: 'prompt' });
    const inner = await add({ name: 'inner', auth_method: 'prompt', jump_via_id: outer.id });
    const server = await add({ name: 'behind', password: 'of the vault', jump_via_id: inner.id });
    const [session, robot] = [await stale(), await key()];
    for (const hop of [outer, inner]) {
      expect(await changed(session, hop, { port: 2 })).toEqual(STEP_UP);
      expect(await changed(robot, hop, { port: 2, password: 'new' })).toEqual(CREDENTIAL);
      expect(await unpinned(robot, hop)).toEqual(CREDENTIAL);
    }
    const { body } = await robot.call('PUT', `/api/servers/${outer.id}`, { port: 2 });
    expect(body['detail']).toBe(
      'The stored credentials of behind pass through outer: pin their host keys first, or sign in',
    );
    await pin(server);
    expect(await changed(robot, outer, { port: 2 })).toEqual(DONE);
  });
});

describeEachGateway('A server without a stored credential', (gateway) => {
  it('never takes a credential to another host while a private key is being read', async () => {
    const { db, tables } = gateway().store;
    const server = await gateway().addServer({ name: 'awaits', auth_method: 'prompt', port: 1 });
    const robot = gateway().actor((await createKey(gateway().admin)).key);
    const { private_key } = await createKeyPair(['-t', 'ed25519', '-a', '48', '-N', 'slow']);
    const patch = { hostname: 'evil.example', private_key, passphrase: 'slow' };
    const moving = robot.call('PUT', `/api/servers/${server.id}`, patch);
    const isHere = and(eq(tables.servers.id, server.id), eq(tables.servers.hostname, server.hostname));
    await db.update(tables.servers).set({ password_sealed: 'sealed' }).where(isHere);
    await moving;
    const [row] = await db.select().from(tables.servers).where(eq(tables.servers.id, server.id));
    expect([row?.hostname, row?.password_sealed]).not.toEqual(['evil.example', 'sealed']);
  });

  it('may be moved by an API key and by a stale session', async () => {
    const server = await gateway().addServer({ name: 'asks', auth_method: 'prompt', port: 1 });
    const robot = gateway().actor((await createKey(gateway().admin)).key);
    const session = await makeStale(gateway(), gateway().admin);
    for (const [actor, port] of [
      [robot, 2],
      [session, 3],
    ] as const) {
      expect((await actor.call('PUT', `/api/servers/${server.id}`, { port })).status).toBe(200);
    }
  });
});
