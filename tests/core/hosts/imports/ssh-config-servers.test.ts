import { describe, expect, it } from 'vitest';
import { openSshConfig } from '#core/hosts/imports/ssh-config/parse.ts';
import { planFromSshConfig } from '#core/hosts/imports/ssh-config/servers.ts';
import { createWarnings } from '#core/hosts/imports/warning-list.ts';

const REGISTRY = [{ id: 7, name: 'gate', jump_via_id: null }];

async function plan(text: string, names?: readonly string[]) {
  const warnings = createWarnings();
  const config = await openSshConfig(text, warnings, names);
  const setting = { group: 'lab', username: 'ann', registry: REGISTRY };
  return { planned: await planFromSshConfig(config, setting, warnings), warnings: warnings.list() };
}

async function shortOf(text: string, names?: readonly string[]) {
  return (await plan(text, names)).planned.map(({ input: { name, hostname, port, username }, jump }) => ({
    name,
    to: `${username}@${hostname}:${port}`,
    jump: jump && (jump.kind === 'file' ? jump.index : `#${jump.id}`),
  }));
}

describe('Servers from an ssh_config', () => {
  it('ask for their credentials at connect', async () => {
    const [only] = (await plan('Host a\n User u')).planned;
    expect(only?.input).toMatchObject({ auth_method: 'prompt', group: 'lab', password: '', private_key: '' });
  });

  it('use the caller’s name where none is given, as ssh does, with a warning', async () => {
    const { planned, warnings } = await plan('Host a');
    expect(planned[0]?.input.username).toBe('ann');
    expect(warnings).toEqual(['a: no User is given, so ann is used']);
  });

  it('jump through another host of the text that ProxyJump names', async () => {
    expect(await shortOf('Host in\n User u\n ProxyJump out\nHost out\n User o\n Port 2222')).toEqual([
      { name: 'in', to: 'u@in:22', jump: 1 },
      { name: 'out', to: 'o@out:2222', jump: undefined },
    ]);
  });

  it('jump through a registered server that ProxyJump names', async () => {
    expect(await shortOf('Host in\n User u\n ProxyJump gate')).toEqual([
      { name: 'in', to: 'u@in:22', jump: '#7' },
    ]);
  });

  it('include a jump host that is defined nowhere, once, with a warning', async () => {
    const text = 'Host a b\n User u\n ProxyJump x@far.example:2200';
    expect(await shortOf(text)).toEqual([
      { name: 'a', to: 'u@a:22', jump: 2 },
      { name: 'b', to: 'u@b:22', jump: 2 },
      { name: 'x@far.example:2200', to: 'x@far.example:2200', jump: undefined },
    ]);
    expect((await plan(text)).warnings).toEqual([
      'x@far.example:2200 was added, since ProxyJump of a names it',
    ]);
  });

  it('reach the second jump host of a list through the first, whatever its own section says', async () => {
    expect(await shortOf('Host t\n User u\n ProxyJump one,two\nHost one two\n User u')).toEqual([
      { name: 't', to: 'u@t:22', jump: 3 },
      { name: 'one', to: 'u@one:22', jump: undefined },
      { name: 'two', to: 'u@two:22', jump: undefined },
      { name: 'two via one', to: 'u@two:22', jump: 1 },
    ]);
  });

  it('reuse a listed jump host whose own route is the same', async () => {
    const text = 'Host t\n User u\n ProxyJump one,two\nHost one\n User u\nHost two\n User u\n ProxyJump one';
    expect(await shortOf(text)).toEqual([
      { name: 't', to: 'u@t:22', jump: 2 },
      { name: 'one', to: 'u@one:22', jump: undefined },
      { name: 'two', to: 'u@two:22', jump: 1 },
    ]);
  });

  it('keep the address of a listed jump host that is used as another user', async () => {
    const text = 'Host t\n User u\n ProxyJump root@gate1\nHost gate1\n User u\n HostName g.example\n Port 2';
    expect((await shortOf(text))[2]).toEqual({ name: 'root@gate1', to: 'root@g.example:2', jump: undefined });
  });

  it('come with a warning that key files are not read', async () => {
    expect((await plan('Host a\n User u\n IdentityFile ~/.ssh/id')).warnings[0]).toContain('IdentityFile');
  });

  it('keep the jump hosts of a listed jump host that is used as another user', async () => {
    const text = 'Host t\n User u\n ProxyJump root@two\nHost two\n User u\n ProxyJump one\nHost one\n User u';
    expect(await shortOf(text)).toEqual([
      { name: 't', to: 'u@t:22', jump: 3 },
      { name: 'two', to: 'u@two:22', jump: 2 },
      { name: 'one', to: 'u@one:22', jump: undefined },
      { name: 'root@two via one', to: 'root@two:22', jump: 2 },
    ]);
  });

  it('apply patterns to a jump host that no section names', async () => {
    const text = 'Host t\n User u\n ProxyJump g.corp\nHost *.corp\n User admin\n Port 2222';
    expect((await shortOf(text))[1]).toEqual({ name: 'g.corp', to: 'admin@g.corp:2222', jump: undefined });
  });

  it('leave out only the host that cannot become a server, and those that jump through it', async () => {
    const text = 'Host a\n User u\nHost b\n User u\n HostName b;c\nHost c d\n User u\n ProxyJump b';
    const { planned, warnings } = await plan(text);
    expect(planned.map(({ input }) => input.name)).toEqual(['a']);
    const why = 'HostName must be a host name or an IP address';
    expect(warnings).toEqual([
      `Host "b" is left out: ${why} (line 5).`,
      `Host "c" is left out: its jump host "b" cannot be used, ${why} (line 8).`,
      `Host "d" is left out: its jump host "b" cannot be used, ${why} (line 8).`,
    ]);
  });

  it('leave out a host whose jump host has no usable name', async () => {
    const { planned, warnings } = await plan('Host a\n User u\n ProxyJump b;c');
    expect(planned).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/^Host "a" is left out: its jump host "b;c" .*\(line 3\)\.$/),
    ]);
  });

  it('leave out a host whose jump host is reached by a command', async () => {
    const text = 'Host a\n User u\n ProxyJump b\nHost b\n User u\n ProxyCommand nc %h %p';
    expect((await plan(text)).warnings).toEqual([
      'Host "a" is left out: its jump host "b" cannot be used, its ProxyCommand is not run (line 3).',
      'Host "b" is left out: its ProxyCommand is not run (line 6).',
    ]);
  });

  it('leave out a host that jumps through itself by its own pattern', async () => {
    const text = 'Host *.corp\n ProxyJump gate.corp\nHost gate.corp web.corp\n User u\nHost other\n User u';
    const { planned, warnings } = await plan(text);
    expect(planned.map(({ input }) => input.name)).toEqual(['other']);
    expect(warnings).toEqual([
      'Host "gate.corp" is left out, because it jumps through itself (line 2).',
      'Host "web.corp" is left out: its jump host "gate.corp" cannot be used, it jumps through itself (line 2).',
    ]);
  });

  it('leave out every host on a cycle', async () => {
    const text =
      'Host a\n User u\n ProxyJump b\nHost b\n User u\n ProxyJump c\nHost c\n User u\n ProxyJump a';
    const { planned, warnings } = await plan(`${text}\nHost d\n User u`);
    expect(planned.map(({ input }) => input.name)).toEqual(['d']);
    expect(warnings).toEqual(
      [3, 6, 9].map(
        (line, at) => `Host "${'abc'[at]}" is left out, because it jumps through itself (line ${line}).`,
      ),
    );
  });

  it('do not judge hosts that were not chosen', async () => {
    const text =
      'Host good\n User u\nHost muc\n HostName b;c\nHost loop\n ProxyJump loop\nHost deep\n ProxyJump 1,2,3,4,5,6,7,8,9';
    const { planned, warnings } = await plan(text, ['good']);
    expect(planned.map(({ input }) => input.name)).toEqual(['good']);
    expect(warnings).toEqual([]);
  });

  it('follow a chain of hosts of any length', async () => {
    const row = Array.from({ length: 2400 }, (_, i) => `Host h${i}\n User u\n ProxyJump x,h${i + 1}`).join(
      '\n',
    );
    const servers = await shortOf(row);
    expect(servers).toHaveLength(4801);
    expect(servers[0]?.jump).toBe(servers.findIndex(({ name }) => name === 'h1 via x'));
  });

  it('keep a cycle of hosts as written', async () => {
    const text = 'Host a\n User u\n ProxyJump x,b\nHost b\n User u\n ProxyJump x,a';
    expect((await shortOf(text)).map(({ name }) => name)).toEqual(['a', 'b', 'x', 'a via x', 'b via x']);
  });

  it('are left out with more than 8 jump hosts', async () => {
    const eight = Array.from({ length: 8 }, (_, i) => `j${i}`).join(',');
    expect(await shortOf(`Host a\n User u\n ProxyJump ${eight}`)).toHaveLength(9);
    const { planned, warnings } = await plan(`Host b\n User u\nHost a\n User u\n ProxyJump ${eight},k`);
    expect(planned.map(({ input }) => input.name)).toEqual(['b']);
    expect(warnings).toEqual(['Host "a" is left out: it has more than 8 jump hosts (line 5).']);
  });

  it('are refused beyond 5,000, added jump hosts included', async () => {
    const hosts = (count: number) =>
      Array.from({ length: count }, (_, i) => `Host h${i}\n User u\n ProxyJump j${i}`).join('\n');
    expect((await plan(hosts(2500))).planned).toHaveLength(5000);
    const refusal = { code: 'validation', detail: expect.stringContaining('5000 servers') };
    await expect(plan(hosts(2501))).rejects.toMatchObject(refusal);
  });

  it('come with at most 200 warnings in total', async () => {
    const hosts = Array.from(
      { length: 150 },
      (_, i) => `Include x\nHost h${i}\n IdentityFile k\n ProxyJump j${i}`,
    );
    const { warnings } = await plan(hosts.join('\n'));
    expect([warnings.length, warnings.at(-1)]).toEqual([201, 'and 400 more']);
  });
});
