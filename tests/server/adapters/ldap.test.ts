import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Filter } from 'ldapts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Directory, DirectoryUser } from '#core/ports/identity.ts';
import { createLdapDirectory, type LdapOptions } from '#server/adapters/directory/ldap.ts';
import { DirectoryError, openLdap } from '#server/adapters/directory/ldap-connection.ts';
import { parseConfig } from '#server/config/config.ts';
import { ConfigError } from '#server/config/config-error.ts';
import { silent } from '../../support/databases/stores.ts';
import { DIRECTORY_GROUPS, PERSONS, type Slapd, startSlapd } from '../../support/hosts/slapd.ts';
import {
  freePort,
  type Peer,
  startProxy,
  startSilentPeer,
  startTalkingPeer,
} from '../../support/hosts/tcp.ts';

const QUICK_MS = 500;

let slapd: Slapd;
beforeAll(async () => {
  slapd = await startSlapd();
});
afterAll(() => slapd.stop());

function directory(changes: Partial<LdapOptions> = {}): Directory {
  const { ldap } = parseConfig(slapd.env());
  if (!ldap) throw new Error('LDAP is not enabled');
  return createLdapDirectory({ ...ldap, log: silent, timeout_ms: 2000, ...changes });
}

describe('Sign-in through the directory', () => {
  it('accepts the right password and returns name and groups', async () => {
    const user = await directory().authenticate('alice', 'alice password');
    expect(user?.usernames).toEqual(['alice']);
    expect(user?.groups?.toSorted((a, b) => a.dn.localeCompare(b.dn))).toEqual([
      { dn: DIRECTORY_GROUPS.admins, names: ['admins'] },
      { dn: DIRECTORY_GROUPS.developers, names: ['developers'] },
    ]);
  });

  it.each([
    ['a wrong password', 'alice', 'bob password'],
    ['an unknown name', 'mallory', 'alice password'],
    ['an entry without a password', 'locked', 'anything'],
    ['a wildcard', '*', 'alice password'],
    ['a wildcard behind a name', 'ali*', 'alice password'],
    ['a second condition', 'alice)(uid=*', 'alice password'],
    ['a condition that all fulfil', '*)(objectClass=*', 'alice password'],
    ['an escape', 'alic\\65', 'alice password'],
    ['a placeholder', '{dn}', 'alice password'],
  ])('refuses %s', async (_, username, password) => {
    expect(await directory().authenticate(username, password)).toBeUndefined();
  });

  it.each([
    ['no password', 'alice', ''],
    ['a password with NUL', 'alice', '\0'],
    ['no name', '', 'alice password'],
    ['a name of spaces', '   ', 'alice password'],
    ['a name with NUL', 'alice\0', 'alice password'],
    ['a name with a line break', 'ali\nce', 'alice password'],
    ['a name that is too long', 'a'.repeat(151), 'alice password'],
  ])('does not query the directory for %s', async (_, username, password) => {
    const proxy = await startProxy(portOf(slapd.url));
    const asked = directory({ urls: [`ldap://127.0.0.1:${proxy.port}`] });
    expect(await asked.authenticate(username, password)).toBeUndefined();
    expect(proxy.accepted()).toBe(0);
    await proxy.stop();
  });

  it('queries the directory as often for an unknown name as for a wrong password', async () => {
    const proxy = await startProxy(portOf(slapd.url));
    const asked = directory({ urls: [`ldap://127.0.0.1:${proxy.port}`] });
    await asked.authenticate('alice', 'wrong');
    const connections = proxy.accepted();
    await asked.authenticate('mallory', 'wrong');
    expect(proxy.accepted()).toBe(2 * connections);
    await proxy.stop();
  });

  it('follows a changed password', async () => {
    await slapd.setPassword('bob', 'another password');
    expect(await directory().authenticate('bob', 'bob password')).toBeUndefined();
    expect(await directory().authenticate('bob', 'another password')).toMatchObject({
      usernames: ['bob'],
    });
    await slapd.setPassword('bob', 'bob password');
  });

  it('admits nobody, and warns, when several entries match', async () => {
    const warnings: string[] = [];
    const log = { ...silent, warn: (_: object, message: string) => void warnings.push(message) };
    const by_mail = directory({ user_filter: '(mail={username})', log });
    expect(await by_mail.authenticate('twins@example.org', 'twin1 password')).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('more than one')]);
    const by_anything = directory({ user_filter: '(|(uid={username})(uid=*))', log });
    expect(await by_anything.authenticate('alice', 'alice password')).toBeUndefined();
    expect(warnings).toHaveLength(2);
  });
});

const CAROL = ['carol', 'Carol.Smith', 'csmith'];

describe('The names of a directory user', () => {
  it.each([
    ['ALICE', ['alice']],
    [' alice ', ['alice']],
    ['ａｌｉｃｅ', ['alice']],
    ['ju\u0308rgen', ['jürgen']],
    ['JÜRGEN', ['jürgen']],
    ['carol', CAROL],
    ['CAROL.SMITH', CAROL],
    ['csmith', CAROL],
  ])('for %j are those of the entry, in the directory’s spelling', async (typed, usernames) => {
    expect(await directory().authenticate(typed, `${personOf(typed)} password`)).toMatchObject({ usernames });
  });

  it('start with the one in the DN, whatever the sort order', async () => {
    onTestFinished(() => slapd.replace(PERSONS.twin2, 'uid', ['twin2']));
    await slapd.replace(PERSONS.twin2, 'uid', ['aaa', 'AAB', 'twin2', 'zero\u200bwidth']);
    const user = await directory().authenticate('aab', 'twin2 password');
    expect(user?.usernames).toEqual(['twin2', 'aaa', 'AAB']);
  });

  it('are the values of the first attribute that the filter compares', async () => {
    const user_filter = '(&(objectClass=inetOrgPerson)(|(MAIL={username})(uid={username})))';
    const by_mail = directory({ user_filter });
    expect(await by_mail.authenticate('alice', 'alice password')).toMatchObject({
      usernames: ['alice@example.org'],
    });
  });

  it('are found under an alias of their attribute', async () => {
    const by_alias = directory({ user_filter: '(userid={username})' });
    expect(await by_alias.authenticate('Alice', 'alice password')).toMatchObject({
      usernames: ['alice'],
    });
  });

  it('must be readable for the service account', async () => {
    const hidden = directory({ user_filter: '(|(employeeNumber={username})(uid={username}))' });
    await expect(hidden.authenticate('alice', 'alice password')).rejects.toThrow(
      /cannot read the attribute employeeNumber/,
    );
  });

  it('must be valid account names', async () => {
    await slapd.replace(PERSONS.bob, 'employeeNumber', ['zero\u200bwidth']);
    const by_number = directory({ user_filter: '(|(employeeNumber={username})(uid={username}))' });
    await expect(by_number.authenticate('bob', 'bob password')).rejects.toThrow(/not a valid username/);
  });

  it('must be compared by the filter', () => {
    expect(() => directory({ user_filter: '(:caseExactMatch:={username})' })).toThrow(ConfigError);
  });
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const GUID = [
  "attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )",
];
const HIDDEN = 'access to attrs=entryUUID by * none';

describe('The id of a directory user', () => {
  it('is the same under each of the names, and unique', async () => {
    const ids = await Promise.all(
      ['carol', 'csmith', 'alice', 'bob'].map(async (typed) => {
        const user = await directory().authenticate(typed, `${personOf(typed)} password`);
        expect(user?.id).toMatch(UUID);
        return user?.id;
      }),
    );
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
  });

  it('stays when the entry is renamed, and differs for a new entry with the same DN', async () => {
    const dn = `uid=nomad,${slapd.people}`;
    const idOf = async (typed: string) => (await directory().authenticate(typed, 'nomad password'))?.id;
    const create = () =>
      slapd.add(dn, {
        ...{ objectClass: 'inetOrgPerson', cn: 'x', sn: 'x' },
        ...{ uid: 'nomad', userPassword: 'nomad password' },
      });
    await create();
    const first = await idOf('nomad');
    await slapd.replace(dn, 'uid', ['nomad', 'settler']);
    expect(await idOf('settler')).toBe(first);
    await slapd.remove(dn);
    await create();
    expect(await idOf('nomad')).not.toBe(first);
    await slapd.remove(dn);
  });

  it.each([
    ['the GUID that Active Directory gives', ['ff00', 'fe00'], ['ff00', 'fe00']],
    ['the DN where there is nothing better', [], ['uid=alice,ou=people', 'uid=bob,ou=people']],
  ])('is %s', async (_, guids, ids) => {
    const server = await startSlapd({ config: [HIDDEN], schema: GUID });
    onTestFinished(() => server.stop());
    const asked = directory({ urls: [server.url] });
    for (const [at, name] of (['alice', 'bob'] as const).entries()) {
      const guid = guids[at];
      if (guid !== undefined) {
        await server.replace(PERSONS[name], 'objectClass', ['inetOrgPerson', 'extensibleObject']);
        await server.replace(PERSONS[name], 'objectGUID', [Buffer.from(guid, 'hex')]);
      }
      const user = await asked.authenticate(name, `${name} password`);
      expect(user).toMatchObject({ id: expect.stringContaining(ids[at] ?? ''), usernames: [name] });
      if (guid !== undefined) expect(user?.id).toBe(guid);
    }
  });
});

describe('Groups of a directory user', () => {
  it('are returned with both name and DN', async () => {
    const dn = `cn=impostors,${slapd.groups}`;
    const cn = ['impostors', DIRECTORY_GROUPS.admins];
    await slapd.add(dn, { objectClass: 'groupOfNames', cn, member: PERSONS.twin2 });
    onTestFinished(() => slapd.remove(dn));
    const user = await directory().authenticate('twin2', 'twin2 password');
    expect(user?.groups).toEqual([{ dn, names: cn }]);
  });

  it('are found by a DN that needs escaping', async () => {
    const user = await directory().authenticate('john', 'john password');
    expect(namesOf(user)).toEqual(expect.arrayContaining(['ops, (night)*', 'developers']));
  });

  it('are not looked up without a base', async () => {
    const user = await directory({ group_base: undefined }).authenticate('alice', 'alice password');
    expect(user).toMatchObject({ usernames: ['alice'], groups: undefined });
  });

  it('are looked up at every sign-in', async () => {
    await slapd.setGroups('jürgen', ['admins']);
    const user = await directory().authenticate('jürgen', 'jürgen password');
    expect(namesOf(user)).toEqual(['admins']);
    await slapd.setGroups('jürgen', []);
    expect(await directory().authenticate('jürgen', 'jürgen password')).toMatchObject({ groups: [] });
  });

  it('are found by name', async () => {
    const dn = `cn=posix,${slapd.groups}`;
    await slapd.add(dn, { objectClass: 'posixGroup', cn: 'posix', gidNumber: '100', memberUid: 'alice' });
    const by_name = directory({ group_filter: '(memberUid={username})' });
    const user = await by_name.authenticate('ALICE', 'alice password');
    expect(user?.groups).toEqual([{ dn, names: ['posix'] }]);
    await slapd.remove(dn);
  });

  it('are all read, however many there are', async () => {
    const names = Array.from({ length: 520 }, (_, at) => `many-${at}`);
    const member = PERSONS.twin1;
    await Promise.all(
      names.map((cn) => slapd.add(`cn=${cn},${slapd.groups}`, { objectClass: 'groupOfNames', cn, member })),
    );
    const user = await directory().authenticate('twin1', 'twin1 password');
    expect(user?.groups).toHaveLength(names.length);
  });
});

describe('A directory of several servers', () => {
  it.each<[string, () => Promise<Peer | { port: number }>]>([
    ['is down', async () => ({ port: await freePort() })],
    ['says nothing', startSilentPeer],
    ['hangs up', () => startTalkingPeer('', { hang_up: true })],
  ])('answers through the next one while the first %s', async (_, start) => {
    const first = await start();
    const urls = [`ldap://127.0.0.1:${first.port}`, slapd.url];
    const asked = directory({ urls, timeout_ms: QUICK_MS });
    expect(await asked.authenticate('alice', 'alice password')).toMatchObject({ usernames: ['alice'] });
    expect(await asked.authenticate('alice', 'wrong')).toBeUndefined();
    if ('stop' in first) await first.stop();
  });

  it('is asked first at the server that answered last', async () => {
    const silent_one = await startTalkingPeer('', { hang_up: true });
    const proxy = await startProxy(portOf(slapd.url));
    const urls = [`ldap://127.0.0.1:${silent_one.port}`, `ldap://127.0.0.1:${proxy.port}`];
    const warnings: string[] = [];
    const log = { ...silent, warn: (_fields: object, message: string) => void warnings.push(message) };
    const asked = directory({ urls, log });
    await asked.authenticate('alice', 'alice password');
    await asked.authenticate('bob', 'bob password');
    expect(warnings).toEqual(['A directory server does not answer']);
    await Promise.all([silent_one.stop(), proxy.stop()]);
  });

  it('fails as its first server does when none answers', async () => {
    const urls = [`ldap://127.0.0.1:${await freePort()}`, `ldap://127.0.0.1:${await freePort()}`];
    const asked = directory({ urls }).authenticate('alice', 'alice password');
    await expect(asked).rejects.toThrow(`ECONNREFUSED 127.0.0.1:${portOf(urls[0] ?? '')}`);
  });
});

describe('A password that an administrator of the directory has reset', () => {
  it('is told apart from a wrong one, and only when it is right', async () => {
    const server = await startSlapd({
      config: ['overlay ppolicy'],
      schema: ['modulepath /usr/lib/ldap', 'moduleload ppolicy'],
    });
    onTestFinished(() => server.stop());
    await server.replace(PERSONS.bob, 'pwdReset', ['TRUE']);
    const asked = directory({ urls: [server.url] });
    const answer = asked.authenticate('bob', 'bob password');
    await expect(answer).rejects.toMatchObject({ code: 'directory_password_expired' });
    expect(await asked.authenticate('bob', 'wrong')).toBeUndefined();
    expect(await asked.authenticate('alice', 'alice password')).toMatchObject({ usernames: ['alice'] });
  });
});

describe('A directory that cannot be queried', () => {
  it('that is down', async () => {
    const down = directory({ urls: [`ldap://127.0.0.1:${await freePort()}`] });
    await expect(down.authenticate('alice', 'alice password')).rejects.toThrow(/connect.*ECONNREFUSED/);
  });

  it('that hangs, within the timeout', async () => {
    const frozen = await startSlapd();
    onTestFinished(() => frozen.stop());
    const before = performance.now();
    const urls = [{ urls: [frozen.url] }, { urls: [frozen.tls_url] }, { urls: [frozen.url], starttls: true }];
    const asked = urls.map((changes) =>
      directory({ ...changes, ca_file: frozen.ca_file, timeout_ms: QUICK_MS }),
    );
    await frozen.pause();
    const answers = asked.map((it) => it.authenticate('alice', 'alice password'));
    await Promise.all(answers.map((answer) => expect(answer).rejects.toThrow(/no answer within/)));
    expect(performance.now() - before).toBeLessThan(5 * QUICK_MS);
    frozen.resume();
    const [plain] = asked;
    expect(await plain?.authenticate('alice', 'alice password')).toMatchObject({ usernames: ['alice'] });
  });

  it.each<[string, () => Promise<Peer>]>([
    ['says nothing', startSilentPeer],
    ['speaks another language', () => startTalkingPeer('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['says nonsense', () => startTalkingPeer('0\x84\x7f\xff\xff\xff\x02\x01\x02')],
    ['hangs up', () => startTalkingPeer('', { hang_up: true })],
  ])('fails with a DirectoryError when the server %s', async (_, start) => {
    const peer = await start();
    for (const url of [`ldap://127.0.0.1:${peer.port}`, `ldaps://127.0.0.1:${peer.port}`]) {
      const asked = directory({ urls: [url], timeout_ms: QUICK_MS });
      await expect(asked.authenticate('alice', 'alice password')).rejects.toThrow(DirectoryError);
    }
    await peer.idle();
    await peer.stop();
  });

  it('because it refuses the service account', async () => {
    const refused = directory({ bind_password: 'wrong' });
    await expect(refused.authenticate('alice', 'alice password')).rejects.toThrow(
      /bind as the service account .*InvalidCredentials/,
    );
  });

  it('because it allows no anonymous search', async () => {
    const anonymous = directory({ bind_dn: '' });
    await expect(anonymous.authenticate('alice', 'alice password')).rejects.toThrow(/search for the user/);
  });
});

describe('TLS to the directory', () => {
  const ca = () => ({ ca_file: slapd.ca_file });
  const by_name = () => slapd.tls_url.replace('127.0.0.1', 'localhost');

  it.each<[string, () => Partial<LdapOptions>]>([
    ['ldaps by address', () => ({ ...ca(), urls: [slapd.tls_url] })],
    ['ldaps by name', () => ({ ...ca(), urls: [by_name()] })],
    ['STARTTLS', () => ({ ...ca(), starttls: true })],
  ])('accepts a server whose certificate the configured CA signed: %s', async (_, changes) => {
    const user = await directory(changes()).authenticate('alice', 'alice password');
    expect(user).toMatchObject({ usernames: ['alice'] });
    expect(await directory(changes()).authenticate('alice', 'wrong')).toBeUndefined();
  });

  it.each<[string, () => Partial<LdapOptions>]>([
    ['ldaps', () => ({ urls: [slapd.tls_url] })],
    ['STARTTLS', () => ({ starttls: true })],
  ])('refuses a server whose certificate no known CA signed: %s', async (_, changes) => {
    const asked = directory({ ca_file: undefined, ...changes() });
    await expect(asked.authenticate('alice', 'alice password')).rejects.toThrow(/TLS .*self-signed/);
  });

  it.each<[string, () => Partial<LdapOptions>]>([
    ['ldaps', () => ({ urls: [slapd.tls_url.replace('127.0.0.1', '127.0.0.2')] })],
    ['STARTTLS', () => ({ urls: [slapd.url.replace('127.0.0.1', '127.0.0.2')], starttls: true })],
  ])('refuses a certificate for another host: %s', async (_, changes) => {
    const elsewhere = await forward('127.0.0.2', portOf(changes().urls?.[0] ?? slapd.url));
    const asked = directory({ ...ca(), ...changes() });
    await expect(asked.authenticate('alice', 'alice password')).rejects.toThrow(/127\.0\.0\.2/);
    elsewhere.close();
  });

  it.each([2, 3])('ignores anything injected before STARTTLS (message %i)', async (id) => {
    // A successful bind response whose last field swallows the real answer.
    const forged = Buffer.from([0x30, 0x1a, 2, 1, id, 0x61, 0x15, 0x0a, 1, 0, 4, 0, 4, 0x0e]);
    const tampering = await forward('127.0.0.1', portOf(slapd.url), forged);
    const asked = directory({
      ...ca(),
      urls: [`ldap://127.0.0.1:${boundPort(tampering)}`],
      starttls: true,
    });
    const answer = await asked.authenticate('alice', 'wrong').catch(() => undefined);
    expect(answer).toBeUndefined();
    tampering.close();
  });

  it('stops the start when the CA file is invalid', async () => {
    expect(() => directory({ ca_file: '/nowhere/ca.pem' })).toThrow(ConfigError);
    const empty = join(slapd.ca_file, '..', 'empty.pem');
    await writeFile(empty, 'no certificate');
    expect(() => directory({ ca_file: empty })).toThrow(/SERVICE_LDAP_CA_FILE/);
  });
});

describe('Connections to the directory', () => {
  it.each<[string, string, Partial<LdapOptions>]>([
    ['after a sign-in', 'alice password', {}],
    ['after a refusal', 'wrong', {}],
    ['after a failed search', 'alice password', { user_base: 'ou=nowhere,dc=example,dc=org' }],
    ['after a failed lookup of groups', 'alice password', { group_base: 'ou=nowhere,dc=example,dc=org' }],
    ['after a refused service account', 'alice password', { bind_password: 'wrong' }],
    ['after STARTTLS', 'alice password', { starttls: true }],
    ['after a refused certificate', 'alice password', { starttls: true, ca_file: undefined }],
  ])('are closed %s', async (_, password, changes) => {
    const proxy = await startProxy(portOf(slapd.url));
    const urls = [`ldap://127.0.0.1:${proxy.port}`];
    const asked = directory({ ca_file: slapd.ca_file, urls, ...changes });
    await asked.authenticate('alice', password).catch(() => undefined);
    expect(proxy.accepted()).toBeGreaterThan(0);
    await proxy.idle();
    await proxy.stop();
  });

  it.each<[string, (server: Slapd) => { url: string; starttls: boolean }]>([
    ['in clear', ({ url }) => ({ url, starttls: false })],
    ['in TLS', ({ tls_url }) => ({ url: tls_url, starttls: false })],
    ['after STARTTLS', ({ url }) => ({ url, starttls: true })],
  ])('that hang or end %s are given up and not retried', async (_, choose) => {
    const server = await startSlapd();
    onTestFinished(() => server.stop());
    const ca = await readFile(server.ca_file, 'utf8');
    const open = () => openLdap({ ...choose(server), ca, timeout_ms: QUICK_MS });
    const bind = (it: Awaited<ReturnType<typeof openLdap>>) =>
      it.run('bind', (client) => client.bind(server.bind_dn, server.bind_password));
    const frozen = await open();
    const ended = await open();
    await bind(ended);
    await server.pause();
    await expect(bind(frozen)).rejects.toThrow('LDAP, bind: no answer within 500 ms');
    server.resume();
    await server.halt();
    await expect(bind(ended)).rejects.toThrow(/LDAP, bind: (?!no answer)/);
    const before = performance.now();
    await Promise.all([frozen.close(), ended.close()]);
    expect(performance.now() - before).toBeLessThan(QUICK_MS / 2);
  });

  it('that break in the middle are reported and not retried', async () => {
    const proxy = await startProxy(portOf(slapd.url));
    const asked = directory({ urls: [`ldap://127.0.0.1:${proxy.port}`] });
    await slapd.pause();
    const answer = asked.authenticate('alice', 'alice password');
    const refused = expect(answer).rejects.toThrow(DirectoryError);
    await proxy.connected();
    proxy.cut();
    await refused;
    slapd.resume();
    expect(proxy.accepted()).toBe(1);
    await proxy.stop();
  });
});

describe('A value in an LDAP filter', () => {
  it.each([
    ['\0', '\\00'],
    ['*', '\\2a'],
    ['(', '\\28'],
    [')', '\\29'],
    ['\\', '\\5c'],
    ['jürgen 😀', 'jürgen 😀'],
  ])('%j is escaped as RFC 4515 says', (value, escaped) => {
    expect(Filter.escape(value)).toBe(escaped);
  });
});

function personOf(typed: string): string {
  const name = typed.normalize('NFKC').trim().toLowerCase();
  return /^c/.test(name) ? 'carol' : name;
}

function namesOf(user: DirectoryUser | undefined): string[] | undefined {
  return user?.groups?.flatMap(({ names }) => names);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function boundPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Listens on `host`, on the same port if it is free, and may append data to the first response. */
async function forward(host: string, to_port: number, addition?: Buffer): Promise<Server> {
  const server = createServer((near) => {
    const far = connect(to_port, '127.0.0.1');
    near.pipe(far);
    let rest = addition;
    far.on('data', (bytes: Buffer) => {
      near.write(rest ? Buffer.concat([bytes, rest]) : bytes);
      rest = undefined;
    });
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(host === '127.0.0.1' ? 0 : to_port, host, resolve));
  return server;
}
