import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { createKey, userOf } from '../../support/features/accounts.ts';
import { addHost, listingOf, serverOf } from '../../support/features/chain.ts';
import { type Actor, startGateway, type TestGateway, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { type KeptLog, keepLog } from '../../support/gateway/logs.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const TYPED = { auth_method: 'prompt', password: '' };

let database: FreshDatabase;
let log: KeptLog;
let gateway: TestGateway;
let sshd: Sshd;

beforeAll(async () => {
  database = await migratedDatabaseUrl('sqlite');
  log = keepLog();
  sshd = await startSshd();
  gateway = await startGateway({ database_url: database.url, log });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
  await database?.cleanup();
});

let people = 0;

/** Each user has a separate rate limit. */
function newcomer(): Promise<Actor> {
  people += 1;
  return gateway.user({ username: `person ${people}`, allowed_groups: ['lab'] });
}

const connect = (actor: Actor, id: number, typed: object = { password: sshd.password }) =>
  actor.call('POST', `/api/files/${id}/connect`, typed);

async function refusalOf(asking: Promise<{ status: number; body: Record<string, unknown> }>) {
  const { status, body } = await asking;
  return [status, body['code']];
}

const isRequired = (name: string) => ({
  status: 409,
  code: 'credentials_required',
  detail: expect.stringContaining(name),
});

describe('Files of a server without stored credentials', () => {
  it('answer 409 until somebody has connected, and then work', async () => {
    const person = await newcomer();
    const { id } = await addHost(gateway, { name: 'typed', sshd, ...TYPED });
    expect(await listingOf(person, id)).toEqual(isRequired('typed'));
    const { status, body } = await connect(person, id);
    expect([status, body]).toEqual([200, { connected: true }]);
    expect((await listingOf(person, id)).status).toBe(200);
  });

  it('are reached under the typed username', async () => {
    const person = await newcomer();
    const { id } = await addHost(gateway, { name: 'named', sshd, ...TYPED, username: 'of-nobody' });
    expect(await refusalOf(connect(person, id))).toEqual([502, 'host_auth_failed']);
    const { username, password } = sshd;
    expect((await connect(person, id, { username, password })).status).toBe(200);
    expect((await listingOf(person, id)).status).toBe(200);
  });

  it('belong to the session that connected, not to other users, sessions or keys', async () => {
    const { id } = await addHost(gateway, { name: 'owned', sshd, ...TYPED });
    const person = await newcomer();
    await connect(person, id);
    const { username } = await userOf(person);
    const others = [
      await newcomer(),
      gateway.admin,
      await gateway.signIn(username, USER_PASSWORD),
      gateway.actor((await createKey(person)).key),
    ];
    for (const other of others) expect(await listingOf(other, id)).toEqual(isRequired('owned'));
    expect((await listingOf(person, id)).status).toBe(200);
  });

  it('belong to an API key that connected', async () => {
    const { id } = await addHost(gateway, { name: 'keyed', sshd, ...TYPED });
    const person = await newcomer();
    const key = gateway.actor((await createKey(person)).key);
    expect((await connect(key, id)).status).toBe(200);
    expect((await listingOf(key, id)).status).toBe(200);
    expect(await listingOf(person, id)).toEqual(isRequired('keyed'));
  });

  it('are reached over a separate connection for each person', async () => {
    const own = await startSshd();
    const { id } = await addHost(gateway, { name: 'two people', sshd: own, ...TYPED });
    for (const person of [await newcomer(), await newcomer()]) await connect(person, id);
    expect(own.log().match(/Accepted password/g)).toHaveLength(2);
    await own.stop();
  });

  it.each([
    [
      'the server is edited',
      (id: number) => gateway.admin.call('PUT', `/api/servers/${id}`, { tags: ['x'] }),
    ],
    ['its pin is cleared', (id: number) => gateway.admin.call('DELETE', `/api/servers/${id}/host-key`)],
  ])('answer 409 again once %s', async (_what, change) => {
    const person = await newcomer();
    const { id } = await addHost(gateway, { name: 'edited', sshd, ...TYPED });
    await connect(person, id);
    expect((await listingOf(person, id)).status).toBe(200);
    await change(id);
    expect(await listingOf(person, id)).toEqual(isRequired('edited'));
  });

  it('answer 409 to a new session after a sign-out', async () => {
    const person = await newcomer();
    const { id } = await addHost(gateway, { name: 'signed out', sshd, ...TYPED });
    await connect(person, id);
    const { username } = await userOf(person);
    await person.call('POST', '/api/auth/logout');
    expect((await listingOf(person, id)).status).toBe(401);
    expect(await listingOf(await gateway.signIn(username, USER_PASSWORD), id)).toEqual(
      isRequired('signed out'),
    );
  });

  it.each([
    ['signs out', (person: Actor) => person.call('POST', '/api/auth/logout')],
    [
      'is disabled',
      async (person: Actor) => {
        const { id } = await userOf(person);
        return gateway.admin.call('PATCH', `/api/auth/users/${id}`, { disabled: true });
      },
    ],
  ])('end their connection to the host when the person %s', async (_what, end) => {
    const own = await startSshd();
    const person = await newcomer();
    const { id } = await addHost(gateway, { name: 'left', sshd: own, ...TYPED });
    await connect(person, id);
    expect((await own.sessionProcesses()).length).toBeGreaterThan(0);
    await end(person);
    await eventually(async () => expect(await own.sessionProcesses()).toEqual([]));
    await own.stop();
  });

  it('are reconnected without a prompt when the host ended the connection', async () => {
    const person = await newcomer();
    const { id } = await addHost(gateway, { name: 'restarted', sshd, ...TYPED });
    await connect(person, id);
    await sshd.killSessions();
    await eventually(async () => expect(await sshd.sessionProcesses()).toEqual([]));
    expect((await listingOf(person, id)).status).toBe(200);
  });
});

describe('Connecting', () => {
  it('with a wrong password is 502, and stores nothing', async () => {
    const person = await newcomer();
    const { id } = await addHost(gateway, { name: 'mistyped', sshd, ...TYPED });
    expect(await refusalOf(connect(person, id, { password: 'wrong' }))).toEqual([502, 'host_auth_failed']);
    expect(await listingOf(person, id)).toEqual(isRequired('mistyped'));
  });

  it('with a wrong password keeps the earlier right one', async () => {
    const person = await newcomer();
    const { id } = await addHost(gateway, { name: 'retyped', sshd, ...TYPED });
    await connect(person, id);
    expect((await connect(person, id, { password: 'wrong' })).status).toBe(502);
    expect((await listingOf(person, id)).status).toBe(200);
  });

  it('is 422 where a credential is stored, and 422 without a password', async () => {
    const person = await newcomer();
    const stored = await addHost(gateway, { name: 'stored', sshd });
    expect(await refusalOf(connect(person, stored.id))).toEqual([422, 'validation']);
    const { id } = await addHost(gateway, { name: 'empty', sshd, ...TYPED });
    expect(await refusalOf(connect(person, id, { password: '' }))).toEqual([422, 'validation']);
  });

  it('is 404 outside the groups, 403 without SFTP, and 502 with a changed host key', async () => {
    const stranger = await gateway.user({ username: 'stranger', allowed_groups: ['elsewhere'] });
    const { id } = await addHost(gateway, { name: 'hidden', sshd, ...TYPED });
    expect(await refusalOf(connect(stranger, id))).toEqual([404, 'server_not_found']);
    const off = await addHost(gateway, { name: 'off', sshd, ...TYPED, sftp_enabled: false });
    expect(await refusalOf(connect(gateway.admin, off.id))).toEqual([403, 'sftp_disabled']);
    const own = await startSshd();
    const changed = await addHost(gateway, { name: 'changed', sshd: own, ...TYPED });
    const person = await newcomer();
    await connect(person, changed.id);
    await own.rotateHostKey();
    await own.killSessions();
    await eventually(async () => expect(await own.sessionProcesses()).toEqual([]));
    expect((await listingOf(person, changed.id)).code).toBe('host_key_changed');
    expect(await refusalOf(connect(await newcomer(), changed.id))).toEqual([502, 'host_key_changed']);
    await own.stop();
  });

  it('is 429 with Retry-After beyond ten attempts a minute, per user', async () => {
    const [person, another] = [await newcomer(), await newcomer()];
    const { id } = await addHost(gateway, { name: 'guessed', sshd });
    for (let count = 0; count < 10; count += 1) expect((await connect(person, id)).status).toBe(422);
    const { status, headers } = await connect(person, id);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await connect(another, id)).status).toBe(422);
  });

  it('is audited with server and name, and never stores what was typed', async () => {
    const person = await newcomer();
    const { id } = await addHost(gateway, { name: 'audited', sshd, ...TYPED });
    await connect(person, id, { password: 'typed-and-wrong' });
    await connect(person, id);
    const { body } = await gateway.admin.call<AuditEntry[]>('GET', '/api/auth/audit?limit=500');
    expect(body[0]).toMatchObject({ action: 'sftp_connect', detail: expect.stringContaining('audited') });
    expect(body[0]?.detail).toContain(`as ${sshd.username}`);
    expect(await serverOf(gateway.admin, id)).toMatchObject({ has_password: false });
    const kept = await Promise.all(['', '-wal'].map((end) => readFile(`${database.url}${end}`, 'latin1')));
    for (const text of [...kept, JSON.stringify(body), log.lines.join('\n')]) {
      for (const secret of [sshd.password, 'typed-and-wrong']) expect(text).not.toContain(secret);
    }
  });
});

describe('Files behind a jump host without stored credentials', () => {
  let bastion: Server;
  let inner: Server;
  beforeAll(async () => {
    bastion = await addHost(gateway, { name: 'bastion', sshd, ...TYPED });
    inner = await addHost(gateway, { name: 'behind', sshd, jump_via_id: bastion.id });
  });

  it('answer 409 with the name of the jump host', async () => {
    expect(await listingOf(await newcomer(), inner.id)).toEqual(isRequired('bastion'));
  });

  it('work once somebody has connected to the jump host, for them only', async () => {
    const person = await newcomer();
    expect((await connect(person, bastion.id)).status).toBe(200);
    expect((await listingOf(person, inner.id)).status).toBe(200);
    expect(await listingOf(await newcomer(), inner.id)).toEqual(isRequired('bastion'));
  });

  it('need credentials hop by hop when the server behind stores none either', async () => {
    const person = await newcomer();
    const last = await addHost(gateway, { name: 'last', sshd, ...TYPED, jump_via_id: bastion.id });
    expect(await refusalOf(connect(person, last.id))).toEqual([409, 'credentials_required']);
    await connect(person, bastion.id);
    expect(await listingOf(person, last.id)).toEqual(isRequired('last'));
    expect((await connect(person, last.id)).status).toBe(200);
    expect((await listingOf(person, last.id)).status).toBe(200);
  });
});

describe('Files behind jump hosts, connected hop by hop', () => {
  async function chain(name: string) {
    const bastion = await addHost(gateway, { name: `gate of ${name}`, sshd, ...TYPED });
    return addHost(gateway, { name, sshd, jump_via_id: bastion.id });
  }

  it('work once the credentials of the jump host were typed', async () => {
    const person = await newcomer();
    const { id } = await chain('behind');
    expect(await listingOf(person, id)).toEqual(isRequired('gate of behind'));
    expect((await connect(person, id)).status).toBe(200);
    expect((await listingOf(person, id)).status).toBe(200);
  });

  it('need credentials hop by hop', async () => {
    const person = await newcomer();
    const { id } = await chain('twice');
    await gateway.admin.call('PUT', `/api/servers/${id}`, { auth_method: 'prompt' });
    const { status, body } = await connect(person, id);
    expect([status, body['code'], body['detail']]).toEqual([
      409,
      'credentials_required',
      'twice stores no password: enter its username and password to connect',
    ]);
    expect((await connect(person, id)).status).toBe(200);
    expect((await listingOf(person, id)).status).toBe(200);
  });

  it('prompt again after the jump host has refused', async () => {
    const person = await newcomer();
    const { id } = await chain('wrong');
    await gateway.admin.call('PUT', `/api/servers/${id}`, { auth_method: 'prompt' });
    await connect(person, id, { password: 'wrong' });
    expect(await refusalOf(connect(person, id))).toEqual([502, 'host_auth_failed']);
    expect(await listingOf(person, id)).toEqual(isRequired('gate of wrong'));
  });
});
