import { expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { describeEachGateway } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';

const MINIMAL = { name: 'web-1', hostname: 'web-1.example', username: 'deploy' };

describeEachGateway('The server registry', (gateway) => {
  it('creates a server with the documented defaults', async () => {
    const { status, body } = await gateway().admin.call<Server>('POST', '/api/servers', MINIMAL);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...MINIMAL,
      port: 22,
      auth_method: 'password',
      group: '',
      tags: [],
      description: '',
      jump_via_id: null,
      ssh_enabled: true,
      sftp_enabled: true,
      sftp_read_only: false,
      sftp_allowed_paths: [],
      has_password: false,
      has_private_key: false,
      host_key_fingerprint: '',
      last_connected_at: null,
    });
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('never returns a secret, and seals it', async () => {
    const server = await gateway().addServer({ name: 'sealed', password: 'hunter2-hunter2' });
    const { body } = await gateway().admin.call('GET', `/api/servers/${server.id}`);
    expect(body).toMatchObject({ has_password: true });
    expect(JSON.stringify(body)).not.toMatch(/hunter2|_sealed|"host_key"/);
    const rows = await gateway().store.db.select().from(gateway().store.tables.servers);
    const row = rows.find(({ id }) => id === server.id);
    expect(row?.password_sealed).toMatch(/^v2:/);
    expect(JSON.stringify(row)).not.toContain('hunter2');
  });

  it('changes only the fields that are sent, and clears a credential with an empty string', async () => {
    const server = await gateway().addServer({ name: 'patched', password: 'secret', tags: ['a'] });
    const path = `/api/servers/${server.id}`;
    const kept = await gateway().admin.call('PUT', path, { description: 'new' });
    expect(kept.body).toMatchObject({ description: 'new', name: 'patched', tags: ['a'], has_password: true });
    const cleared = await gateway().admin.call('PUT', path, { password: '' });
    expect(cleared.body).toMatchObject({ has_password: false });
  });

  it('clears the pin when hostname or port change, and not otherwise', async () => {
    const server = await gateway().addServer({ name: 'pinned' });
    const { db, tables } = gateway().store;
    await db.update(tables.servers).set({ host_key: 'AAAA', host_key_fingerprint: 'SHA256:x' });
    const path = `/api/servers/${server.id}`;
    expect(
      (await gateway().admin.call('PUT', path, { port: server.port, name: 'still pinned' })).body,
    ).toMatchObject({
      host_key_fingerprint: 'SHA256:x',
    });
    expect((await gateway().admin.call('PUT', path, { port: 2222 })).body).toMatchObject({
      host_key_fingerprint: '',
    });
  });

  it('answers DELETE host-key with the cleared fingerprint', async () => {
    const server = await gateway().addServer({ name: 'cleared' });
    const { db, tables } = gateway().store;
    await db.update(tables.servers).set({ host_key: 'AAAA', host_key_fingerprint: 'SHA256:y' });
    const path = `/api/servers/${server.id}/host-key`;
    expect((await gateway().admin.call('DELETE', path)).body).toEqual({ cleared: 'SHA256:y' });
    expect((await gateway().admin.call('DELETE', path)).body).toEqual({ cleared: '' });
  });

  it('deletes with 204, and then answers 404', async () => {
    const server = await gateway().addServer({ name: 'short-lived' });
    expect((await gateway().admin.call('DELETE', `/api/servers/${server.id}`)).status).toBe(204);
    expect((await gateway().admin.call('GET', `/api/servers/${server.id}`)).status).toBe(404);
    expect((await gateway().admin.call('DELETE', `/api/servers/${server.id}`)).status).toBe(404);
  });

  it('refuses to delete a server that others jump through, naming them', async () => {
    const bastion = await gateway().addServer({ name: 'bastion' });
    await gateway().addServer({ name: 'inner', jump_via_id: bastion.id });
    const { status, body } = await gateway().admin.call('DELETE', `/api/servers/${bastion.id}`);
    expect(status).toBe(409);
    expect(body).toEqual({ detail: 'Used as a jump host by: inner', code: 'jump_host_in_use' });
  });

  it('refuses a jump cycle at save with 409', async () => {
    const outer = await gateway().addServer({ name: 'outer' });
    const inner = await gateway().addServer({ name: 'inside', jump_via_id: outer.id });
    const { status, body } = await gateway().admin.call('PUT', `/api/servers/${outer.id}`, {
      jump_via_id: inner.id,
    });
    expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'jump_cycle' });
    const itself = await gateway().admin.call('PUT', `/api/servers/${outer.id}`, { jump_via_id: outer.id });
    expect(itself.status).toBe(409);
  });

  it.each([null, 0])('clears jump_via_id with %s', async (none) => {
    const outer = await gateway().addServer({ name: 'hop' });
    const inner = await gateway().addServer({ name: 'behind', jump_via_id: outer.id });
    const { body } = await gateway().admin.call('PUT', `/api/servers/${inner.id}`, { jump_via_id: none });
    expect(body['jump_via_id']).toBeNull();
  });

  it('stores an internationalized hostname in its ASCII form', async () => {
    const input = { ...MINIMAL, name: 'idn', hostname: 'München.example' };
    const { body } = await gateway().admin.call('POST', '/api/servers', input);
    expect(body).toMatchObject({ hostname: 'xn--mnchen-3ya.example' });
    const path = `/api/servers/${body['id']}`;
    expect((await gateway().admin.call('PUT', path, { hostname: '例え.テスト' })).body).toMatchObject({
      hostname: 'xn--r8jz45g.xn--zckzah',
    });
  });

  it.each([
    ['no name', { hostname: 'h', username: 'u' }],
    ['an empty name', { ...MINIMAL, name: '' }],
    ['a control character in the name', { ...MINIMAL, name: 'a\nb' }],
    ['an invisible character in the name', { ...MINIMAL, name: 'a\u202eb' }],
    ['a name of 10,000 characters', { ...MINIMAL, name: 'x'.repeat(10_000) }],
    ['a hostname with a space', { ...MINIMAL, hostname: 'a b' }],
    ['a hostname with a slash of another script', { ...MINIMAL, hostname: 'ü／x' }],
    ['an address in digits of another script', { ...MINIMAL, hostname: '１２７.0.0.1' }],
    ['a hostname that looks like an option', { ...MINIMAL, hostname: '-oProxyCommand=x' }],
    ['port 0', { ...MINIMAL, port: 0 }],
    ['port 65536', { ...MINIMAL, port: 65_536 }],
    ['a port as text', { ...MINIMAL, port: '22' }],
    ['an unknown auth_method', { ...MINIMAL, auth_method: 'agent' }],
    ['a relative allowed path', { ...MINIMAL, sftp_allowed_paths: ['srv'] }],
    ['tags that are no list', { ...MINIMAL, tags: 'a,b' }],
    ['a jump host that does not exist', { ...MINIMAL, jump_via_id: 999_999 }],
    ['an id that overflows', { ...MINIMAL, jump_via_id: 99_999_999_999 }],
    ['a private key that cannot be read', { ...MINIMAL, auth_method: 'key', private_key: 'not a key' }],
    ['an array', [MINIMAL]],
    ['null', null],
  ])('refuses %s with 422', async (_what, input) => {
    const { status, body } = await gateway().admin.call('POST', '/api/servers', input);
    expect({ status, code: typeof body['code'] }).toEqual({ status: 422, code: 'string' });
  });

  const refused_by_nginx = IS_BALANCED ? [] : ['%00'];
  it.each(['0', '-1', '1.5', 'abc', '99999999999', ...refused_by_nginx])(
    'answers 422 or 404 for the id %s',
    async (id) => {
      expect([404, 422]).toContain((await gateway().admin.call('GET', `/api/servers/${id}`)).status);
    },
  );

  it('refuses a body over 1 MiB with 413', async () => {
    const { status, body } = await gateway().admin.call('POST', '/api/servers', {
      ...MINIMAL,
      description: 'x'.repeat(1024 * 1024),
    });
    expect({ status, code: body['code'] }).toEqual({ status: 413, code: 'body_too_large' });
  });
});

describeEachGateway('Group access', (gateway) => {
  it('lets a user list, get and group only what their groups allow', async () => {
    const seen = await gateway().addServer({ name: 'seen', group: 'blue', tags: ['x'] });
    const hidden = await gateway().addServer({ name: 'hidden', group: 'red', tags: ['x'] });
    await gateway().addServer({ name: 'ungrouped', group: '' });
    const user = await gateway().user({ username: 'bluebird', allowed_groups: ['blue'] });
    expect((await user.call<Server[]>('GET', '/api/servers')).body.map(({ name }) => name)).toEqual(['seen']);
    expect((await user.call('GET', '/api/servers/groups')).body).toEqual(['blue']);
    expect((await user.call('GET', `/api/servers/${seen.id}`)).status).toBe(200);
    expect((await user.call<Server[]>('GET', '/api/servers?group=red')).body).toEqual([]);
    const refused = await user.call('GET', `/api/servers/${hidden.id}`);
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 404,
      body: { detail: 'Server not found', code: 'server_not_found' },
    });
  });

  it.each([
    ['POST', 'test'],
    ['GET', 'ls?path=/'],
    ['GET', 'read?path=/etc/hosts'],
    ['GET', 'stat?path=/etc/hosts'],
    ['GET', 'download?path=/etc/hosts'],
    ['POST', 'ticket'],
  ])('hides a server of another group from %s %s', async (method, action) => {
    const hidden = await gateway().addServer({ name: `hidden from ${action}`, group: 'red' });
    const user = await gateway().user({
      username: `out-of-${action.split('?')[0]}`,
      allowed_groups: ['blue'],
    });
    const base = action === 'test' ? `/api/servers/${hidden.id}` : `/api/files/${hidden.id}`;
    const body = method === 'POST' ? { path: '/' } : undefined;
    expect((await user.call(method, `${base}/${action}`, body)).body).toMatchObject({
      code: 'server_not_found',
    });
  });

  it('filters by group, tag and search ignoring case', async () => {
    await gateway().addServer({ name: 'Alpha', group: 'filter', tags: ['db'], description: 'primary 100%' });
    await gateway().addServer({ name: 'beta', group: 'filter', tags: ['web'], hostname: 'ALPHA.example' });
    const names = async (query: string) =>
      (await gateway().admin.call<Server[]>('GET', `/api/servers?group=filter&${query}`)).body.map(
        ({ name }) => name,
      );
    expect(await names('')).toEqual(['Alpha', 'beta']);
    expect(await names('search=alpha')).toEqual(['Alpha', 'beta']);
    expect(await names('search=PRIMARY')).toEqual(['Alpha']);
    expect(await names('search=100%25')).toEqual(['Alpha']);
    expect(await names('tag=web')).toEqual(['beta']);
  });
});
