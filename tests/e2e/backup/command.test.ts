import { describe, expect, it, onTestFinished } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import { exportBackup, restoreBackup } from '#server/cli/backup.ts';
import { DIALECTS, freshDatabaseUrl, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { openShell } from '../../support/features/accounts.ts';
import { backupRows, forged, PASSPHRASE } from '../../support/features/backups.ts';
import { addHost } from '../../support/features/chain.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { startSshd } from '../../support/hosts/sshd.ts';

const REPLACE = { passphrase: PASSPHRASE, mode: 'replace', dry_run: false } as const;

async function entriesOf(actor: Actor, action: string): Promise<AuditEntry[]> {
  return (await actor.call<AuditEntry[]>('GET', `/api/auth/audit?action=${action}`)).body;
}

describe.each(DIALECTS)('The backup commands, next to a running gateway (%s)', (dialect) => {
  async function gatewayOf(): Promise<TestGateway> {
    const { url, cleanup } = await migratedDatabaseUrl(dialect);
    onTestFinished(cleanup);
    const gateway = await startGateway({ database_url: url });
    onTestFinished(gateway.close);
    return gateway;
  }

  it('export the gateway’s data, with an audit entry', async () => {
    const { admin, addServer, config } = await gatewayOf();
    await addServer({ name: 'one' });
    const text = await exportBackup(config, PASSPHRASE, { include_audit: true });
    expect(JSON.parse(text).counts).toMatchObject({ servers: 1, users: 1 });
    const [entry] = await entriesOf(admin, 'backup_export');
    expect(entry).toMatchObject({ user_id: null, detail: expect.stringMatching(/on the command line$/) });
  });

  it('restore it, and the gateway notices', async () => {
    const gateway = await gatewayOf();
    const sshd = await startSshd();
    onTestFinished(sshd.stop);
    const host = await addHost(gateway, { name: 'host', sshd });
    const text = await exportBackup(gateway.config, PASSPHRASE, { include_audit: false });
    const gone = await gateway.user({ username: 'gone', allowed_groups: ['lab'] });
    const shell = await openShell(gateway, host.id, gone.token);
    const tried = await restoreBackup(gateway.config, text, { ...REPLACE, dry_run: true });
    expect(tried.removed).toMatchObject({ users: 1 });
    expect((await gone.call('GET', '/api/auth/me')).status).toBe(200);
    expect(await restoreBackup(gateway.config, text, REPLACE)).toEqual(tried);
    expect((await shell.closed()).code).toBe(4009);
    expect((await gone.call('GET', '/api/auth/me')).status).toBe(401);
    const entries = await entriesOf(gateway.admin, 'backup_restore');
    expect(entries.map(({ detail }) => detail)).toEqual([
      'servers changed, on the command line: host (#1)',
      'users removed, on the command line: gone',
      expect.stringMatching(/^replace: .*on the command line$/),
    ]);
    const verdict = await gateway.admin.call('GET', '/api/auth/audit/verify');
    expect(verdict.body).toMatchObject({ ok: true });
  });

  it('leave no gateway without an administrator', async () => {
    const { config, admin } = await gatewayOf();
    const nobody = [backupRows.user({ username: 'admin', disabled: true }), backupRows.user()];
    const { warnings } = await restoreBackup(config, JSON.stringify(await forged(nobody)), REPLACE);
    expect(warnings).toEqual([
      expect.stringMatching(/^admin: the default administrator keeps its current sign-in/),
    ]);
    expect((await admin.call('GET', '/api/auth/me')).status).toBe(200);
  });

  it('fail with another key than the gateway’s', async () => {
    const { config } = await gatewayOf();
    const other = { ...config, secret_key: 'another key than the gateway has' };
    await expect(exportBackup(other, PASSPHRASE, { include_audit: false })).rejects.toThrow(
      'SERVICE_SECRET_KEY',
    );
  });

  it('create no database where there is none', async () => {
    const { config } = await gatewayOf();
    const { url, cleanup } = await freshDatabaseUrl(dialect);
    onTestFinished(cleanup);
    const elsewhere = { ...config, database_url: url };
    await expect(exportBackup(elsewhere, PASSPHRASE, { include_audit: false })).rejects.toThrow();
  });

  it('refuse a short passphrase and a file that is not a backup', async () => {
    const { config } = await gatewayOf();
    const short = exportBackup(config, 'short', { include_audit: false });
    await expect(short).rejects.toMatchObject({ code: 'validation' });
    await expect(restoreBackup(config, '{', REPLACE)).rejects.toMatchObject({ code: 'backup_unreadable' });
  });
});
