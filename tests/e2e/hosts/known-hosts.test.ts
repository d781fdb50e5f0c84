import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ConnectionTest } from '#core/model/connection-test.ts';
import type { Server } from '#core/model/server.ts';
import type { ImportedHostKeys } from '#core/model/server-transfer.ts';
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

describeEachGateway('An import of known_hosts', (gateway) => {
  beforeEach(async () => {
    const { db, tables } = gateway().store;
    await db.delete(tables.servers);
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
    expect(warnings.map((warning) => warning.split(' is left out')[0]).sort()).toEqual([
      'Line 1',
      'Line 2',
      'Line 3',
      'Line 4',
    ]);
    expect(await fingerprintOf(server)).toBe('');
  });

  it('with more than 20 keys for a server pins none of them, and warns', async () => {
    const server = await addServer();
    const keys = Array.from({ length: 21 }, (_, i) => `${here()} ssh-ed25519 ${ed25519Blob(i)}`);
    const { pinned, warnings } = await importKeys(keys.join('\n'));
    expect([pinned, warnings]).toEqual([[], ['box: the file has more than 20 keys for it']]);
    expect(await fingerprintOf(server)).toBe('');
  });

  it('that takes too long to match is refused, and pins nothing', async () => {
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
