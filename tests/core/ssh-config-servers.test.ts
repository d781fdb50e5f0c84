import { describe, expect, it } from 'vitest';
import { readSshConfig } from '#core/lib/ssh-config.ts';
import { planFromSshConfig } from '#core/services/ssh-config-servers.ts';

const REGISTRY = [{ id: 7, name: 'gate' }];

function plan(text: string) {
  const { hosts } = readSshConfig(text);
  return planFromSshConfig(hosts, { group: 'lab', username: 'ann', registry: REGISTRY });
}

const shortOf = (text: string) =>
  plan(text).planned.map(({ input: { name, hostname, port, username }, jump }) => ({
    name,
    to: `${username}@${hostname}:${port}`,
    jump: jump && (jump.kind === 'file' ? jump.index : `#${jump.id}`),
  }));

describe('Servers from an ssh_config', () => {
  it('asks for the credentials of each at connect', () => {
    const [only] = plan('Host a\n User u').planned;
    expect(only?.input).toMatchObject({ auth_method: 'prompt', group: 'lab', password: '', private_key: '' });
  });

  it('takes the caller’s name where none is given, as ssh does, with a warning', () => {
    const { planned, warnings } = plan('Host a');
    expect(planned[0]?.input.username).toBe('ann');
    expect(warnings).toEqual(['a: no User is named, ann is taken']);
  });

  it('makes ProxyJump to another host of the text its jump host', () => {
    expect(shortOf('Host in\n User u\n ProxyJump out\nHost out\n User o\n Port 2222')).toEqual([
      { name: 'in', to: 'u@in:22', jump: 1 },
      { name: 'out', to: 'o@out:2222', jump: undefined },
    ]);
  });

  it('takes a registered server that ProxyJump names', () => {
    expect(shortOf('Host in\n User u\n ProxyJump gate')).toEqual([{ name: 'in', to: 'u@in:22', jump: '#7' }]);
  });

  it('adds a jump host that is nowhere, once, and says so', () => {
    const text = 'Host a b\n User u\n ProxyJump x@far.example:2200';
    expect(shortOf(text)).toEqual([
      { name: 'a', to: 'u@a:22', jump: 2 },
      { name: 'b', to: 'u@b:22', jump: 2 },
      { name: 'x@far.example:2200', to: 'x@far.example:2200', jump: undefined },
    ]);
    expect(plan(text).warnings).toEqual(['x@far.example:2200 was added, since ProxyJump of a names it']);
  });

  it('reaches the second jump host of a list through the first, whatever its own section says', () => {
    expect(shortOf('Host t\n User u\n ProxyJump one,two\nHost one two\n User u')).toEqual([
      { name: 't', to: 'u@t:22', jump: 3 },
      { name: 'one', to: 'u@one:22', jump: undefined },
      { name: 'two', to: 'u@two:22', jump: undefined },
      { name: 'two via one', to: 'u@two:22', jump: 1 },
    ]);
  });

  it('uses a listed jump host as it is when it is reached so anyway', () => {
    const text = 'Host t\n User u\n ProxyJump one,two\nHost one\n User u\nHost two\n User u\n ProxyJump one';
    expect(shortOf(text)).toEqual([
      { name: 't', to: 'u@t:22', jump: 2 },
      { name: 'one', to: 'u@one:22', jump: undefined },
      { name: 'two', to: 'u@two:22', jump: 1 },
    ]);
  });

  it('keeps the address of a listed jump host that is used as another user', () => {
    const text = 'Host t\n User u\n ProxyJump root@gate1\nHost gate1\n User u\n HostName g.example\n Port 2';
    expect(shortOf(text)[2]).toEqual({ name: 'root@gate1', to: 'root@g.example:2', jump: undefined });
  });

  it('says that keys are not read', () => {
    expect(plan('Host a\n User u\n IdentityFile ~/.ssh/id').warnings[0]).toContain('IdentityFile');
  });

  it('refuses what cannot be a server with 422 that names it', () => {
    expect(() => plan('Host a\n User u\n HostName b;c')).toThrow(/a\.hostname/);
  });
});
