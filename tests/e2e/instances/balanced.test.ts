import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { cut, resumed, shellOn, socketTo } from '../../support/features/shells.ts';
import { tusCaller } from '../../support/features/tus.ts';

// All tests of the API run like this with `npm test -- --balanced`.
describe('Three instances behind nginx, each request at the next one', () => {
  let host: FileHost;
  beforeAll(async () => {
    host = await startFileHost({ gateway: { one_instance: false } });
  });
  afterAll(() => host?.stop());

  it('resume, list, share and end a terminal', async () => {
    const { gateway, server } = host;
    const { client, session_id } = await shellOn(gateway, server.id, gateway.admin);
    await cut(client);
    const back = resumed(gateway, { session_id }, gateway.admin);
    await back.frame('session');
    const { body } = await gateway.admin.call<object[]>('GET', '/api/terminal/sessions');
    expect(body).toMatchObject([{ id: session_id, server_name: 'box' }]);
    const share = await gateway.admin.call('POST', `/api/terminal/share/${session_id}`);
    const guest = await gateway.user({ username: 'guest' });
    const joined = socketTo(gateway, `join/${share.body['token']}?mode=rw`, guest);
    await joined.frame('joined');
    joined.type('echo from-guest-$((2 + 2))\r');
    await back.sees(/from-guest-4/);
    expect((await gateway.admin.call('DELETE', `/api/terminal/sessions/${session_id}`)).status).toBe(204);
    expect((await back.closed()).code).toBe(4009);
  });

  it('upload in pieces, and download', async () => {
    const { gateway, server } = host;
    const path = await host.make('pieces');
    const content = randomBytes(4000);
    const tus = tusCaller(gateway.admin, server.id);
    const upload = await tus.begin({ path, filename: 'file', length: content.length });
    for (let offset = 0; offset < content.length; offset += 1000)
      expect((await tus.append(upload, offset, content.subarray(offset, offset + 1000))).status).toBe(204);
    const query = new URLSearchParams({ path: join(path, 'file') });
    for (let asked = 0; asked < 3; asked += 1) {
      const response = await gateway.admin.fetch(`/api/files/${server.id}/download?${query}`);
      expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    }
  });

  it('refuse a sign-in that has ended, and apply what is set', async () => {
    const { gateway } = host;
    const user = await gateway.user({ username: 'leaver' });
    expect((await user.call('POST', '/api/auth/logout')).status).toBeLessThan(300);
    for (let asked = 0; asked < 3; asked += 1)
      expect((await user.call('GET', '/api/auth/me')).status).toBe(401);
    await gateway.admin.call('PUT', '/api/branding', { app_name: 'Fleet' });
    await eventually(async () => {
      for (let asked = 0; asked < 3; asked += 1)
        expect((await gateway.anonymous.call('GET', '/api/branding')).body['app_name']).toBe('Fleet');
    });
  });
});
