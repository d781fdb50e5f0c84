import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ConnectionTest } from '#core/model/hosts/connection-test.ts';
import type { ImportedServers } from '#core/model/hosts/server-transfer.ts';
import { assertPhrased, type Refusal, serversOf, waysOf } from '../../support/features/imports.ts';
import { type Answer, describeEachGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

/** A configuration that has grown over the years. */
const CONFIG = `# work
Include ~/.ssh/config.d/*

Host gate
    HostName gate.example.com
    Port 2222
    User jumper

Host web-? !web-9 web-1 web-2
    HostName %h.internal.example.com
    ProxyJump gate

Host web-2
    User root
    Port 22022

Host db "db old"
    HostName=10.0.0.7
    ProxyJump carol@edge.example.com:2200,gate

host tunnelled
    ProxyCommand ssh -q -W %h:%p gate
    IdentityFile ~/.ssh/id_tunnel

Host proxied
    ProxyCommand nc -X connect -x proxy:3128 %h %p

Match host *.example.org exec "test -e /tmp/never"
    User nobody

Host *
    User ops
    ServerAliveInterval 30
    ForwardAgent yes
`;

describeEachGateway('An import of an OpenSSH configuration', (gateway) => {
  beforeEach(async () => {
    const { db, tables } = gateway().store;
    await db.update(tables.servers).set({ jump_via_id: null });
    await db.delete(tables.servers);
  });

  async function importConfig(text: string, fields: object = {}): Promise<Answer<ImportedServers & Refusal>> {
    const path = '/api/servers/import/ssh-config';
    const { admin } = gateway();
    const answer = await admin.call<ImportedServers & Refusal>('POST', path, { text, ...fields });
    assertPhrased(answer.body);
    return answer;
  }

  it('creates a server for each host, as ssh would reach it, that prompts at connect', async () => {
    const { status, body } = await importConfig(CONFIG, { group: 'work' });
    expect(status).toBe(201);
    const told = body.created.map(
      ({ name, hostname, port, username }) => `${name} = ${username}@${hostname}:${port}`,
    );
    expect(told).toEqual([
      'gate = jumper@gate.example.com:2222',
      'web-1 = ops@web-1.internal.example.com:22',
      'web-2 = root@web-2.internal.example.com:22022',
      'db = ops@10.0.0.7:22',
      'db old = ops@10.0.0.7:22',
      'tunnelled = ops@tunnelled:22',
      'carol@edge.example.com:2200 = carol@edge.example.com:2200',
      'gate via carol@edge.example.com:2200 = jumper@gate.example.com:2222',
    ]);
    for (const server of body.created) {
      expect(server).toMatchObject({ auth_method: 'prompt', group: 'work', has_password: false });
    }
  });

  it('creates only the chosen hosts and the jump hosts that they need', async () => {
    const { body } = await importConfig(CONFIG, { hosts: ['web-1', 'tunnelled'] });
    expect(body.created.map(({ name }) => name).sort()).toEqual(['gate', 'tunnelled', 'web-1']);
    expect(await waysOf(gateway())).toEqual({ gate: null, tunnelled: 'gate', 'web-1': 'gate' });
  });

  it('creates nothing when a chosen host is not in the text, and names it', async () => {
    const { status, body } = await importConfig(CONFIG, { hosts: ['web-1', 'nobody'] });
    expect([status, body]).toMatchObject([422, { detail: 'Not in this text: nobody' }]);
    expect(await waysOf(gateway())).toEqual({});
  });

  it('keeps the jump hosts of ProxyJump, in order', async () => {
    await importConfig(CONFIG);
    expect(await waysOf(gateway())).toEqual({
      gate: null,
      'web-1': 'gate',
      'web-2': 'gate',
      db: 'gate via carol@edge.example.com:2200',
      'db old': 'gate via carol@edge.example.com:2200',
      tunnelled: 'gate',
      'carol@edge.example.com:2200': null,
      'gate via carol@edge.example.com:2200': 'carol@edge.example.com:2200',
    });
  });

  it('warns about everything that it leaves out or adds', async () => {
    const { warnings } = (await importConfig(CONFIG)).body;
    for (const warning of [
      /^Line 2: Include is not followed/,
      /^Line \d+: this Match section is left out/,
      /^Host "proxied" is left out: its ProxyCommand is not run \(line \d+\)/,
      /^tunnelled: its IdentityFile is not read/,
      /^carol@edge\.example\.com:2200 was added, since ProxyJump of db names it/,
      /^gate via carol@edge\.example\.com:2200 was added/,
    ]) {
      expect(warnings).toContainEqual(expect.stringMatching(warning));
    }
    expect(warnings).toHaveLength(6);
  });

  it('gives at most 200 warnings, general ones first', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `Host h${i}\n IdentityFile k\n`).join('');
    await gateway().addServer({ name: 'h7' });
    const { warnings } = (await importConfig(many)).body;
    expect(warnings[0]).toBe('There are servers of these names already: h7');
    expect([warnings.length, warnings.at(-1)]).toEqual([201, 'and 401 more']);
  });

  it('skips a host whose names contain bidirectional control characters', async () => {
    const { created, warnings } = (await importConfig('Host a\n User "x\u202ey"\nHost b\u2066\nHost c\n'))
      .body;
    expect(created.map(({ name }) => name)).toEqual(['c']);
    expect(warnings.slice(0, 2)).toEqual([
      expect.stringMatching(/^Host "a" is left out: User must be one name/),
      expect.stringMatching(/^Host "b" is left out: its name/),
    ]);
  });

  it('uses the caller’s name, or the given default, where the text has none', async () => {
    const named = async (fields: object) => (await importConfig('Host box\n', fields)).body;
    expect((await named({})).created).toMatchObject([{ username: 'admin', hostname: 'box' }]);
    const { created, warnings } = await named({ username: 'deploy' });
    expect(created).toMatchObject([{ username: 'deploy' }]);
    expect(warnings).toContain('box: no User is given, so deploy is used');
  });

  it('finds a jump host among the registered servers', async () => {
    const { id } = await gateway().addServer({ name: 'bastion' });
    const { body } = await importConfig('Host in\n  ProxyJump bastion\n');
    expect(body.created).toMatchObject([{ name: 'in', jump_via_id: id }]);
  });

  it.each([
    ['no host', '# nothing\nHost *\n  User ops\n', 422, 'validation'],
    [
      'no host but those that jump in a circle',
      'Host a\n ProxyJump b\nHost b\n ProxyJump a\n',
      422,
      'validation',
    ],
    ['no host but one with 9 jump hosts', 'Host a\n ProxyJump b,c,d,e,f,g,h,i,j\n', 422, 'validation'],
    ['more than 5,000 servers', rowOf(4000), 422, 'validation'],
    [
      'too much to match',
      `Host ${'a'.repeat(250)}\nHost ${`*${'a'.repeat(120)}b `.repeat(7000)}`,
      422,
      'validation',
    ],
  ])('adds nothing when there is %s', async (_what, text, status, code) => {
    const answer = await importConfig(text);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await serversOf(gateway())).toEqual([]);
  });

  it('leaves out each host that cannot become a server, with its line, and takes the others', async () => {
    const text = `Host fine\nHost bad/name\nHost six\n HostName [2001:db8::7]\nHost loop\n ProxyJump loop\n${deep(10)}`;
    const { status, body } = await importConfig(text, { username: 'ops' });
    expect([status, body.created.length]).toEqual([201, 10]);
    const left_out = body.warnings.filter((warning) => /left out|itself/.test(warning));
    expect(left_out).toEqual([
      'Host "bad/name" is left out: HostName must be a host name or an IP address (line 2).',
      'Host "six" is left out: HostName must be a host name or an IP address (line 4).',
      'Host "loop" is left out, because it jumps through itself (line 6).',
      'Host "h9" is left out: it has more than 8 jump hosts (line 25).',
    ]);
  });

  it('does not judge a host that was not chosen', async () => {
    const text = 'Host good\n User u\nHost muc\n HostName two;words\nHost loop\n ProxyJump loop\n';
    const { status, body } = await importConfig(text, { hosts: ['good'] });
    expect([status, body.created.map(({ name }) => name)]).toEqual([201, ['good']]);
    expect(body.warnings).toEqual([]);
  });

  it('is for administrators only, and the audit log names what was added', async () => {
    const user = await gateway().user({ username: 'curious', allowed_groups: ['lab'] });
    const { status } = await user.call('POST', '/api/servers/import/ssh-config', { text: 'Host a\n' });
    expect(status).toBe(403);
    const [added] = (await importConfig('Host told\n')).body.created;
    const { body } = await gateway().admin.call<{ detail: string }[]>(
      'GET',
      '/api/auth/audit?action=server_import&limit=1',
    );
    expect(body).toMatchObject([{ detail: `1: told (#${added?.id})` }]);
  });
});

describeEachGateway('A chain from an OpenSSH configuration', (gateway) => {
  let outer: Sshd;
  let inner: Sshd;
  beforeAll(async () => {
    outer = await startSshd();
    inner = await startSshd();
  });
  afterAll(() => Promise.all([outer?.stop(), inner?.stop()]));

  it('connects once its servers have their credentials', async () => {
    const text = `
Host outer
  HostName 127.0.0.1
  Port ${outer.port}
Host inner
  HostName 127.0.0.1
  Port ${inner.port}
  ProxyJump outer
Host *
  User ${outer.username}
`;
    const path = '/api/servers/import/ssh-config';
    const { created } = (await gateway().admin.call<ImportedServers>('POST', path, { text })).body;
    const give = (name: string, credentials: object) => {
      const id = created.find((server) => server.name === name)?.id;
      return gateway().admin.call('PUT', `/api/servers/${id}`, credentials);
    };
    await give('outer', { auth_method: 'password', password: outer.password });
    const { body } = await give('inner', { auth_method: 'key', private_key: inner.private_key });
    const test = `/api/servers/${body['id']}/test`;
    const tested = (await gateway().admin.call<ConnectionTest>('POST', test)).body;
    expect(tested).toMatchObject({ success: true, message: 'Connection successful (via jump host)' });
    expect(new Set(tested.stages.map(({ hop }) => hop))).toEqual(new Set(['outer', 'inner']));
  });
});

/** Each reaches the next through `x`, which is not among them: one more jump host for each. */
function rowOf(hosts: number): string {
  return Array.from({ length: hosts }, (_, i) => `Host h${i}\n ProxyJump x,h${i + 1}\n`).join('');
}

function deep(hosts: number): string {
  const host = (i: number) => `Host h${i}\n${i === 0 ? '' : `  ProxyJump h${i - 1}\n`}`;
  return Array.from({ length: hosts }, (_, i) => host(i)).join('');
}
