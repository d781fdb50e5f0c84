import { describe, expect, it } from 'vitest';
import { describeEnding, statusOf } from '../../../apps/web/terminal/status.ts';
import { translateTo } from '../../support/texts.ts';

const t = translateTo('en');
const web = { server_name: 'web', server_id: 1 };

describe('A terminal’s status text', () => {
  it('says that the host waits for an answer', () => {
    expect(statusOf({ kind: 'connecting' }, true)).toEqual({ text: 'state_asked', tone: 'busy' });
    expect(statusOf({ kind: 'connecting' }, false)).toMatchObject({ text: 'state_connecting' });
  });

  it('is no failure when the person declined to answer', () => {
    const ending = { kind: 'given_up' } as const;
    expect(statusOf({ kind: 'over', ending }, false)).toEqual({ text: 'state_ended', tone: 'idle' });
    expect(describeEnding(ending, web, t)).toEqual({
      title: 'Not connected: the prompt was not answered',
    });
  });

  it('offers no list and no new shell when a watched terminal is gone', () => {
    const watching = { ...web, server_id: 0, aim: { kind: 'watch', session_id: 's' } } as const;
    const error = { code: 'session_not_found', message: 'No' };
    expect(describeEnding({ kind: 'unknown', error }, watching, t)).toEqual({
      title: 'This terminal no longer exists',
      detail: '',
      hint: 'The shell has ended. Close this tab.',
    });
    expect(describeEnding({ kind: 'lost' }, watching, t).hint).not.toContain('Open again');
    expect(describeEnding({ kind: 'lost' }, web, t).hint).toContain('Open again');
  });

  it('names the stage and the hop that failed', () => {
    const error = { code: 'host_auth_failed', message: 'No', stage: 'auth', hop: 'edge' } as const;
    expect(describeEnding({ kind: 'failed', error }, web, t)).toMatchObject({
      title: 'Could not connect',
      detail: 'Stage: Authentication · jump host edge · No.',
    });
  });

  it('says that the gateway closed the connection of a running terminal, and why', () => {
    const error = { code: 'ssh_protocol', message: 'web:22 was disconnected by this gateway' };
    expect(describeEnding({ kind: 'failed', error }, web, t)).toEqual({
      title: 'The gateway closed the connection',
      detail: error.message,
    });
  });

  it('tells an administrator how to allow an address, and others whom to ask', () => {
    const message = 'Quick connect is not allowed to reach 127.0.0.1:22 (SERVICE_ALLOWED_TARGETS)';
    const ending = { kind: 'failed', error: { code: 'target_not_allowed', message } } as const;
    const forUser = describeEnding(ending, web, t);
    expect(forUser.detail).toBe(`${message}.`);
    expect(forUser.hint).toContain('Ask an administrator');
    const { hint } = describeEnding(ending, { ...web, is_admin: true }, t);
    expect(hint).toContain('environment variable SERVICE_ALLOWED_TARGETS');
    expect(hint).not.toContain('Ask an administrator');
  });
});
