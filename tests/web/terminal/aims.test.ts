import { describe, expect, it } from 'vitest';
import { keepSecrets } from '../../../apps/web/quick-connect/secrets.ts';
import { canOpenAgain, firstAim, freshAim, isIdle } from '../../../apps/web/terminal/opening/aims-of-tabs.ts';
import type { Tab } from '../../../apps/web/workspace/tabs/tabs.ts';

const tab = (rest: Partial<Tab> = {}): Tab => ({
  id: 'a',
  kind: 'terminal',
  server_id: 3,
  server_name: 'web',
  path: '',
  restored: false,
  ...rest,
});
const quick = { kind: 'quick', host: 'h', port: 22, username: 'u' } as const;

describe('a terminal tab', () => {
  it('opens a shell on its server', () => {
    expect(firstAim(tab())).toEqual({ kind: 'server', server_id: 3 });
  });

  it('returns to its shell after a reload, unless another device has it by then', () => {
    const left = { kind: 'session', session_id: 's', take_over: false };
    expect(firstAim(tab({ restored: true, session_id: 's' }))).toEqual(left);
    expect(firstAim(tab({ restored: true, aim: { kind: 'session', session_id: 's' } }))).toEqual(left);
  });

  it('takes a session over that the user continues here', () => {
    const taken = { kind: 'session', session_id: 's', take_over: true };
    expect(firstAim(tab({ aim: { kind: 'session', session_id: 's' } }))).toEqual(taken);
  });

  it('waits for a click after a reload when there is no shell to resume', () => {
    expect(isIdle(tab({ restored: true }))).toBe(true);
    expect(isIdle(tab({ restored: true, aim: quick }))).toBe(true);
    expect(isIdle(tab({ restored: true, session_id: 's' }))).toBe(false);
    expect(isIdle(tab({ restored: true, aim: { kind: 'watch', session_id: 's' } }))).toBe(false);
  });

  it('opens a new shell on the server of an ended session', () => {
    const aim = { kind: 'session', session_id: 's' } as const;
    expect(freshAim(tab({ aim }))).toEqual({ kind: 'server', server_id: 3 });
    expect(freshAim(tab({ aim, server_id: 0 }))).toBe(aim);
  });

  it.each([
    ['on a registered server', {}, true],
    ['on one, continued from another device', { aim: { kind: 'session', session_id: 's' } }, true],
    ['on a quick connection', { server_id: 0, aim: quick }, true],
    [
      'on one, continued from another device',
      { server_id: 0, aim: { kind: 'session', session_id: 's' } },
      false,
    ],
    ['on somebody else’s session', { server_id: 0, aim: { kind: 'watch', session_id: 's' } }, false],
    ['on a share', { server_id: 0, aim: { kind: 'join', token: 't', mode: 'rw' } }, false],
  ] as const)('%s %j can be reopened after it has ended: %s', (_on, rest, can) => {
    expect(canOpenAgain(tab(rest), { kind: 'lost' })).toBe(can);
    expect(canOpenAgain(tab(rest), { kind: 'unreachable' })).toBe(true);
  });

  it('sends the secrets of a quick connection once', () => {
    keepSecrets('a', { password: 'p' });
    const aim = firstAim(tab({ aim: quick }));
    const secrets = () => (aim.kind === 'quick' ? aim.secrets?.() : undefined);
    expect([secrets(), secrets()]).toEqual([{ password: 'p' }, {}]);
  });
});
