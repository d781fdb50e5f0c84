import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import type { ServerExport } from '#core/model/hosts/server-transfer.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { exported, serversOf } from '../../support/features/imports.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SECRET = 'zebra-host-password';

/** Everything but the fields of one registry. */
function portable({ id, jump_via_id, created_at, updated_at, ...fields }: ServerExport): object {
  return { ...fields, ...NEW };
}
const NEW = {
  has_password: false,
  has_private_key: false,
  host_key_fingerprint: '',
  announced_host_keys: [],
  ...{ key_exchange: null, server_version: null, is_post_quantum: null },
  last_connected_at: null,
};

describe.each(DIALECTS)('The export (%s)', (dialect) => {
  let databases: FreshDatabase[];
  let gateway: TestGateway;
  let empty: TestGateway;
  let sshd: Sshd;

  beforeAll(async () => {
    sshd = await startSshd();
    databases = await Promise.all([migratedDatabaseUrl(dialect), migratedDatabaseUrl(dialect)]);
    const [one, other] = databases;
    gateway = await startGateway({ database_url: one?.url ?? '' });
    empty = await startGateway({ database_url: other?.url ?? '' });
    await fill();
  });
  afterAll(async () => {
    await Promise.all([gateway?.close(), empty?.close(), sshd?.stop()]);
    for (const database of databases ?? []) await database.cleanup();
  });

  async function fill(): Promise<void> {
    const { port, username, password, encrypted_private_key: private_key, passphrase } = sshd;
    const { id } = await gateway.addServer({
      name: 'žluť, the gate',
      port,
      username,
      password,
      tags: ['a', 'b'],
    });
    await gateway.admin.call('POST', `/api/servers/${id}/test`); // Pins its key.
    const middle = await gateway.addServer({
      name: 'middle',
      auth_method: 'key',
      private_key,
      passphrase,
      jump_via_id: id,
      sftp_read_only: true,
      sftp_allowed_paths: ['/srv', '/var/log'],
      record_sessions: true,
      algorithms: 'legacy',
      terminal_type: 'vt220',
      terminal_encoding: 'Shift_JIS',
    });
    await gateway.addServer({
      name: 'inner',
      auth_method: 'prompt',
      password: SECRET,
      jump_via_id: middle.id,
      ssh_enabled: false,
      agent_enabled: true,
      record_sessions: false,
      description: 'two\nlines',
    });
  }

  it('contains every field of every server, and the name of its jump host', async () => {
    const all = await exported(gateway);
    const names: Record<string, string | null> = { inner: 'middle', middle: 'žluť, the gate' };
    const expected = (await serversOf(gateway)).map((server: Server) => ({
      ...server,
      jump_via_name: names[server.name] ?? null,
    }));
    expect(all).toEqual(expected);
    expect(all.filter(({ host_key_fingerprint }) => host_key_fingerprint !== '')).toHaveLength(1);
  });

  it('never contains a credential', async () => {
    const text = await (await gateway.admin.fetch('/api/servers/export')).text();
    expect(text).not.toMatch(/_sealed|"(password|private_key|passphrase|host_key)":|v[12]:/);
    for (const secret of [SECRET, sshd.password, sshd.passphrase, 'PRIVATE KEY']) {
      expect(text).not.toContain(secret);
    }
  });

  it('recreates the registry in an empty one, with jump hosts by name', async () => {
    const servers = await exported(gateway);
    await empty.addServer({ name: 'shifts the ids' });
    const { status, body } = await empty.admin.call<{ warnings: string[] }>('POST', '/api/servers/import', {
      servers,
    });
    expect([status, body.warnings]).toEqual([
      201,
      [
        'No credential is stored for: middle, žluť, the gate',
        expect.stringContaining('Host keys do not travel'),
      ],
    ]);
    const again = (await exported(empty)).filter(({ name }) => name !== 'shifts the ids');
    expect(again.map(portable)).toEqual(servers.map(portable));
    expect(again.map(({ id }) => id)).not.toEqual(servers.map(({ id }) => id));
  });

  it('is for administrators only, and for keys with the scope admin', async () => {
    const user = await gateway.user({ username: 'curious', allowed_groups: ['lab'] });
    const { status, body } = await user.call('GET', '/api/servers/export');
    expect([status, body['code']]).toEqual([403, 'admin_only']);
  });
});
