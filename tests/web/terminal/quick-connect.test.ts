import { describe, expect, it } from 'vitest';
import { readDestination } from '../../../apps/web/quick-connect/destination.ts';
import { secretsOf } from '../../../apps/web/quick-connect/draft.ts';
import {
  formatTarget,
  readRecents,
  targetOf,
  withRecent,
} from '../../../apps/web/quick-connect/quick-connect.ts';

describe('a quick-connect destination', () => {
  it.each([
    ['root@box', 'root', 'box', undefined],
    ['  root@box:2222 ', 'root', 'box', 2222],
    ['box', undefined, 'box', undefined],
    ['10.0.0.5:22', undefined, '10.0.0.5', 22],
    ['ada@corp@box', 'ada@corp', 'box', undefined],
    ['root@[fd00::1]:2222', 'root', 'fd00::1', 2222],
    ['root@fd00::1', 'root', 'fd00::1', undefined],
    ['root@fe80::1%eth0', 'root', 'fe80::1%eth0', undefined],
    ['ssh://root:secret@box:2222/', 'root', 'box', 2222],
    ['ssh root@box -p 2222', 'root', 'box', 2222],
    ['ssh -p2222 -l root box', 'root', 'box', 2222],
    ['ssh -4Ai ~/.ssh/key -o User=root -o Port=2222 box uptime -p 1', 'root', 'box', 2222],
  ])('is parsed from %j', (line, username, host, port) => {
    expect(readDestination(line)).toMatchObject({ host });
    expect([readDestination(line)?.username, readDestination(line)?.port]).toEqual([username, port]);
  });

  it.each(['', 'ssh', 'a b', 'root@', 'root@box:0', 'root@box:70000', 'root@-oProxyCommand=x', 'box:port'])(
    'is not parsed from %j',
    (line) => {
      expect(readDestination(line)).toBeUndefined();
    },
  );

  it.each(['ssh -J bastion root@box', 'ssh root@box -o ProxyJump=bastion'])(
    'is refused with a jump host: %s',
    (line) => {
      expect(readDestination(line)?.jumps).toBe(true);
    },
  );

  it('needs a username, and defaults to port 22', () => {
    expect(targetOf({ host: 'box' })).toBeUndefined();
    expect(targetOf({ host: 'box', username: 'root' })).toEqual({ host: 'box', port: 22, username: 'root' });
  });

  it.each(['root@box', 'root@box:2222', 'root@fd00::1', 'root@[fd00::1]:2222'])(
    'is formatted as it is parsed: %s',
    (line) => {
      const target = targetOf(readDestination(line) ?? { host: '' });
      expect(target && formatTarget(target)).toBe(line);
    },
  );
});

describe('A quick connection', () => {
  const typed = { password: 'p', private_key: 'k', passphrase: 'f' };

  it.each([
    ['nothing where the terminal asks', 'ask', typed, {}],
    ['the password alone', 'password', typed, { password: 'p' }],
    ['a key and the password that the host asks for as well', 'key', typed, typed],
    ['a key alone', 'key', { ...typed, password: '', passphrase: '' }, { private_key: 'k' }],
  ] as const)('sends %s', (_what, method, values, sent) => {
    expect(secretsOf({ method, ...values })).toEqual(sent);
  });
});

describe('recent quick connections', () => {
  it('are kept once each, newest first, ten at most', () => {
    const many = Array.from({ length: 10 }, (_, at) => `u@h${at}`);
    expect(withRecent(many, 'u@h3').slice(0, 3)).toEqual(['u@h3', 'u@h0', 'u@h1']);
    expect(withRecent(many, 'u@new')).toHaveLength(10);
  });

  it('are read without unknown entries', () => {
    expect(readRecents({ on: false, list: ['a', 1] })).toEqual({ on: false, list: ['a'] });
    expect(readRecents('x')).toEqual({ on: true, list: [] });
  });
});
