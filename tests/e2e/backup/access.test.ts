import { expect, it } from 'vitest';
import { createKey } from '../../support/features/accounts.ts';
import { backupRows, dump, exported, forged, PASSPHRASE, restoring } from '../../support/features/backups.ts';
import { describeEachGateway } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';

const { admin } = backupRows;
const AT = '2026-01-02T03:04:05.678Z';

describeEachGateway('A restore', (gateway) => {
  it('is refused to a non-admin', async () => {
    const user = await gateway().user({ username: 'plain' });
    expect((await restoring(user, {})).body.code).toBe('admin_only');
    const asked = await user.call('POST', '/api/backup/export', { passphrase: PASSPHRASE });
    expect(asked.body['code']).toBe('admin_only');
  });

  it('is refused to an API key, and so is an export, since they read second factors and create keys', async () => {
    const { admin, actor } = gateway();
    const bundle = await exported(admin);
    const key = actor((await createKey(admin, { scopes: ['admin'] })).key);
    expect((await restoring(key, bundle)).body.code).toBe('session_required');
    const asked = await key.call('POST', '/api/backup/export', { passphrase: PASSPHRASE });
    expect(asked.body['code']).toBe('session_required');
  });

  // Each instance knows only its own.
  it.skipIf(IS_BALANCED)(
    'is refused, and so is an export, while another one is in progress in this process',
    async () => {
      const { admin } = gateway();
      const bundle = await exported(admin);
      const codes = (await Promise.all([restoring(admin, bundle), restoring(admin, bundle)])).map(
        ({ body }) => body.code,
      );
      expect(codes.sort()).toEqual(['backup_busy', undefined]);
      expect((await restoring(admin, bundle)).status).toBe(200);
    },
  );

  it('refuses a passphrase that is too short', async () => {
    const { status } = await gateway().admin.call('POST', '/api/backup/export', { passphrase: 'too short' });
    expect(status).toBe(422);
  });

  it('with a wrong passphrase says so and changes nothing', async () => {
    const { admin, store } = gateway();
    const bundle = await exported(admin);
    const before = await dump(store);
    const { status, body } = await restoring(admin, bundle, { passphrase: 'a wrong passphrase' });
    expect([status, body.code]).toEqual([400, 'backup_passphrase']);
    expect(await dump(store)).toEqual(before);
  });

  it('ignores keys such as __proto__', async () => {
    const text = `["server",{"__proto__":{"is_admin":true},"constructor":{"prototype":{"x":1}},"name":"p","hostname":"h","username":"u","created_at":"${AT}","updated_at":"${AT}"}]`;
    const bundle = await forged([admin()], { texts: [text], counts: { users: 1, servers: 1 } });
    const { status } = await restoring(gateway().admin, bundle);
    expect([status, Reflect.get({}, 'is_admin'), Reflect.get({}, 'x')]).toEqual([200, undefined, undefined]);
  });
});
