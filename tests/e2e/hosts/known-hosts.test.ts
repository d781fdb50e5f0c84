import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ConnectionTest } from '#core/model/hosts/connection-test.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { ImportedHostKeys } from '#core/model/hosts/server-transfer.ts';
import { exported, restored } from '../../support/features/backups.ts';
import { assertPhrased } from '../../support/features/imports.ts';
import { describeEachGateway } from '../../support/gateway/gateway.ts';
import { hashed, renamed, scanHost } from '../../support/hosts/known-hosts.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
let stranger: Sshd;
let scanned: string;
let foreign: string;

beforeAll(async () => {
  sshd = await startSshd();
  stranger = await startSshd({ host_keys: ['ed25519'] }); // They share their RSA key.
  scanned = await scanHost(sshd.port);
  foreign = await scanHost(stranger.port);
});
afterAll(() => Promise.all([sshd?.stop(), stranger?.stop()]));

const ofKind = (text: string, kind: string) =>
  text
    .split('\n')
    .filter((line) => line.includes(` ${kind} `))
    .join('\n');
const here = () => `[127.0.0.1]:${sshd.port}`;

describeEachGateway('An import of known_hosts', (gateway, dialect) => {
  beforeEach(async () => {
    const { db, tables } = gateway().store;
    await db.delete(tables.servers);
    await db.delete(tables.revoked_host_keys);
  });

  function addServer(fields: object = {}): Promise<Server> {
    const { port, username, password } = sshd;
    return gateway().addServer({ port, username, password, ...fields });
  }

  async function importKeys(text: string): Promise<ImportedHostKeys> {
    const path = '/api/servers/host-keys/import';
    const { status, body } = await gateway().admin.call<ImportedHostKeys>('POST', path, { text });
    expect(status).toBe(201);
    assertPhrased(body);
    return body;
  }

  async function fingerprintOf({ id }: Server): Promise<string> {
    return (await gateway().admin.call<Server>('GET', `/api/servers/${id}`)).body.host_key_fingerprint;
  }

  async function test({ id }: Server): Promise<ConnectionTest> {
    return (await gateway().admin.call<ConnectionTest>('POST', `/api/servers/${id}/test`)).body;
  }

  it.each([
    ['as ssh-keyscan writes it', async () => scanned],
    ['hashed by ssh-keygen -H', () => hashed(scanned)],
    [
      'with Windows line ends and comments',
      async () => `# mine\r\n\r\n${scanned.replaceAll('\n', ' me@home\r\n')}`,
    ],
    ['of a wildcard', async () => renamed(scanned, `[127.0.0.*]:${sshd.port}`)],
  ])('%s pins the key, and the first connection must present it', async (_what, text) => {
    const server = await addServer();
    const fingerprint = await sshd.hostFingerprint();
    expect(await importKeys(await text())).toEqual({
      pinned: [{ server_id: server.id, name: server.name, fingerprint }],
      unchanged: 0,
      warnings: [],
      warning_phrases: [],
    });
    expect(await fingerprintOf(server)).toBe(fingerprint);
    const { success, stages } = await test(server);
    expect(success).toBe(true);
    expect(stages).toContainEqual(
      expect.objectContaining({ name: 'host_key', ok: true, detail: expect.stringContaining(fingerprint) }),
    );
  });

  it('with a wrong key has the first connection refused, before any credential', async () => {
    const server = await addServer();
    await importKeys(renamed(foreign, here()));
    const tried = (sshd.log().match(/userauth-request/g) ?? []).length;
    const { success, stages } = await test(server);
    expect([success, stages.at(-1)?.name]).toEqual([false, 'host_key']);
    expect((await gateway().admin.call('GET', `/api/files/${server.id}/ls?path=/`)).body['code']).toBe(
      'host_key_changed',
    );
    expect((sshd.log().match(/userauth-request/g) ?? []).length).toBe(tried);
  });

  it('never replaces a pinned key, and warns', async () => {
    const server = await addServer();
    await test(server);
    const pinned = await fingerprintOf(server);
    const { pinned: changed, warnings } = await importKeys(renamed(foreign, here()));
    expect(changed).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^box: another key is pinned/)]);
    expect(await fingerprintOf(server)).toBe(pinned);
  });

  it('reports how many servers were already pinned to the same key', async () => {
    await addServer();
    await importKeys(scanned);
    expect(await importKeys(scanned)).toEqual({
      pinned: [],
      unchanged: 1,
      warnings: [],
      warning_phrases: [],
    });
  });

  it('pins the preferred key type, and accepts the other keys as the host’s own', async () => {
    const server = await addServer();
    await importKeys(`${ofKind(scanned, 'ssh-rsa')}\n${ofKind(scanned, 'ssh-ed25519')}`);
    expect(await fingerprintOf(server)).toBe(await sshd.hostFingerprint());
    const { body } = await gateway().admin.call<Server>('GET', `/api/servers/${server.id}`);
    expect(body.announced_host_keys).toHaveLength(1);
  });

  it('with only one key type has the host asked for that type', async () => {
    const server = await addServer();
    await importKeys(ofKind(scanned, 'ssh-rsa'));
    expect(await fingerprintOf(server)).not.toBe(await sshd.hostFingerprint());
    expect((await test(server)).success).toBe(true);
  });

  it('distinguishes port 22 from others', async () => {
    const standard = await gateway().addServer({ name: 'standard', hostname: 'known.example' });
    const other = await gateway().addServer({ name: 'other', hostname: 'known.example', port: 2222 });
    await importKeys(renamed(foreign, 'known.example'));
    expect([await fingerprintOf(standard), await fingerprintOf(other)]).toEqual([
      await stranger.hostFingerprint(),
      '',
    ]);
    await importKeys(renamed(scanned, '[KNOWN.example]:2222'));
    expect(await fingerprintOf(other)).toBe(await sshd.hostFingerprint());
  });

  it('skips revoked, certificate and unreadable lines, each with its number', async () => {
    const server = await addServer();
    const ed25519 = ofKind(scanned, 'ssh-ed25519');
    const { pinned, warnings } = await importKeys(
      [
        `@revoked * ${ed25519.split(' ').slice(1).join(' ')}`,
        `@cert-authority ${ofKind(foreign, 'ssh-rsa')}`,
        ed25519,
        `${here()} ssh-ed25519 AAAAnonsense`,
      ].join('\n'),
    );
    expect(pinned).toEqual([]);
    expect(warnings.map((warning) => warning.replace(/^Line \d is left out.*/, 'left out'))).toEqual([
      'Line 1 revokes a key: hosts that present it are refused.',
      'left out',
      'left out',
      'left out',
    ]);
    expect(await fingerprintOf(server)).toBe('');
  });

  it.each([
    ['its name', (key: string) => `@revoked ${here()} ${key}`],
    ['its name without a port', (key: string) => `@revoked 127.0.0.1 ${key}`],
    ['a pattern', (key: string) => `@revoked !other.example,[127.*]:* ${key}`],
    ['every host', (key: string) => `@revoked * ${key}`],
  ])('has a key that it revokes for %s refused before any credential', async (_what, lineWith) => {
    const server = await addServer();
    const signIns = sshd.log().length;
    await importKeys(allKeys(scanned, lineWith));
    expect(await test(server)).toMatchObject({ success: false, code: 'host_key_revoked' });
    expect(sshd.log().slice(signIns)).not.toContain('Accepted');
    expect(await fingerprintOf(server)).toBe('');
  });

  it('has a hashed revoked key refused', async () => {
    const server = await addServer();
    const lines = (await hashed(scanned)).split('\n').filter((line) => line.startsWith('|'));
    await importKeys(lines.map((line) => `@revoked ${line}`).join('\n'));
    expect(await test(server)).toMatchObject({ success: false, code: 'host_key_revoked' });
  });

  it('does not refuse a key that it revokes for another host', async () => {
    const server = await addServer();
    await importKeys(allKeys(scanned, (key) => `@revoked other.example,[127.0.0.1]:1,!127.0.0.1 ${key}`));
    expect(await test(server)).toMatchObject({ success: true });
  });

  it('refuses a revoked key that is pinned already, for files and as a jump host too', async () => {
    const server = await addServer();
    const behind = await addServer({ name: 'behind', jump_via_id: server.id });
    expect(await test(behind)).toMatchObject({ success: true });
    const { warnings } = await importKeys(allKeys(scanned, (key) => `@revoked ${here()} ${key}`));
    expect(warnings[0]).toContain(': one of its accepted keys is now revoked');
    expect(await test(behind)).toMatchObject({ success: false, code: 'host_key_revoked' });
    const { admin } = gateway();
    const listing = await admin.call('GET', `/api/files/${server.id}/ls?path=/`);
    expect([listing.status, listing.body['code']]).toEqual([502, 'host_key_revoked']);
    const accepted = { host_key: ofKind(scanned, 'ssh-ed25519').split(' ').slice(1).join(' ') };
    const again = await admin.call('PUT', `/api/servers/${server.id}/host-key`, accepted);
    expect([again.status, again.body['code']]).toEqual([502, 'host_key_revoked']);
  });

  it('never pins a key that an earlier file has revoked, until an administrator accepts it again', async () => {
    const path = '/api/servers/host-keys/revoked';
    const server = await addServer();
    const { admin } = gateway();
    await importKeys(allKeys(scanned, (key) => `@revoked * ${key}`));
    expect((await importKeys(scanned)).pinned).toEqual([]);
    const revoked = (await admin.call<{ id: number; names: string }[]>('GET', path)).body;
    expect(revoked.map(({ names }) => names)).toEqual(revoked.map(() => '*'));
    for (const { id } of revoked) expect((await admin.call('DELETE', `${path}/${id}`)).status).toBe(204);
    const gone = await admin.call('DELETE', `${path}/${revoked[0]?.id}`);
    expect([gone.status, gone.body['code']]).toEqual([404, 'revoked_host_key_not_found']);
    expect((await importKeys(scanned)).pinned).toHaveLength(1);
    expect(await test(server)).toMatchObject({ success: true });
    const user = await gateway().user({ username: 'nosy', allowed_groups: ['lab'] });
    expect((await user.call('GET', path)).status).toBe(403);
  });

  it('keeps revoked keys in backups, and no restore removes one', async () => {
    const server = await addServer();
    const { admin, store } = gateway();
    const without = await exported(admin);
    await importKeys(allKeys(scanned, (key) => `@revoked * ${key}`));
    const bundle = await exported(admin);
    const count = bundle.counts.revoked_keys ?? 0;
    expect(count).toBeGreaterThan(0);
    await store.db.delete(store.tables.revoked_host_keys);
    expect((await restored(admin, bundle)).created.revoked_keys).toBe(count);
    expect(await test(server)).toMatchObject({ success: false, code: 'host_key_revoked' });
    expect((await restored(admin, without, { mode: 'replace' })).removed.revoked_keys).toBe(0);
    expect((await admin.call<unknown[]>('GET', '/api/servers/host-keys/revoked')).body).toHaveLength(count);
  });

  it('with more than 20 keys for a server pins none of them, and warns', async () => {
    const server = await addServer();
    const keys = Array.from({ length: 21 }, (_, i) => `${here()} ssh-ed25519 ${ed25519Blob(i)}`);
    const { pinned, warnings } = await importKeys(keys.join('\n'));
    expect([pinned, warnings]).toEqual([[], ['box: the file has more than 20 keys for it']]);
    expect(await fingerprintOf(server)).toBe('');
  });

  // Seconds of CPU time, before anything is asked of the database.
  it.runIf(dialect === 'sqlite')('that takes too long to match is refused, and pins nothing', async () => {
    const server = await addServer({ name: 'a first one' });
    for (const name of ['b', 'c', 'd']) await addServer({ name, hostname: 'h'.repeat(250) });
    const patterns = Array(8000).fill(`*${'h'.repeat(120)}x`);
    const text = `${scanned}${patterns.join(',')} ssh-ed25519 ${ed25519Blob(0)}`;
    const path = '/api/servers/host-keys/import';
    const { status, body } = await gateway().admin.call('POST', path, { text });
    expect([status, body['code']]).toEqual([422, 'too_many_imports']);
    expect(await fingerprintOf(server)).toBe('');
  });

  it('is audited for each server, and is for administrators only', async () => {
    const server = await addServer();
    await importKeys(scanned);
    const { body } = await gateway().admin.call<{ detail: string }[]>(
      'GET',
      '/api/auth/audit?action=host_key_import&limit=1',
    );
    expect(body).toMatchObject([{ detail: `box (#${server.id}): ${await sshd.hostFingerprint()}` }]);
    const user = await gateway().user({ username: 'curious', allowed_groups: ['lab'] });
    expect((await user.call('POST', '/api/servers/host-keys/import', { text: scanned })).status).toBe(403);
  });
});

/** A line for each key of a scan. */
function allKeys(scan: string, lineWith: (key: string) => string): string {
  const lines = scan.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => lineWith(line.split(' ').slice(1).join(' '))).join('\n');
}

/** In the format of RFC 8709 §4. */
function ed25519Blob(seed: number): string {
  const type = Buffer.from('ssh-ed25519');
  return Buffer.concat([
    Buffer.from([0, 0, 0, type.length]),
    type,
    Buffer.from([0, 0, 0, 32]),
    Buffer.alloc(32, seed),
  ]).toString('base64');
}
