import { describe, expect, it } from 'vitest';
import { outcomeOf, outcomeOfRefusal, type SocketClose } from '#client/terminal/ending.ts';
import { ClientError } from '#client/transport/client-error.ts';
import { describeEnding } from '../../../apps/web/terminal/status.ts';
import { translateTo } from '../../support/texts.ts';

const close = (code: number, rest: Partial<SocketClose> = {}): SocketClose => ({
  code,
  reason: 'why',
  established: false,
  ...rest,
});

describe('the terminal banner', () => {
  const t = translateTo('en');
  const told = (error: { code: string; message: string; hop?: string }) =>
    describeEnding({ kind: 'shutting_down', error }, { server_name: 'harbor', server_id: 1 }, t);

  it('that came with a restart of the gateway says once what happened, and offers a new shell for as long as it is shown', () => {
    const { title, detail, hint } = told({ code: 'shutting_down', message: 'The gateway is shutting down' });
    expect([title, detail]).toEqual(['The shell ended when the gateway shut down', '']);
    expect(hint).toContain('Open again');
  });

  it('names the hop when it is not the server itself', () => {
    expect(told({ code: 'host_unreachable', message: 'No', hop: 'edge' }).detail).toBe(
      'jump host edge · No.',
    );
    expect(told({ code: 'host_unreachable', message: 'No', hop: 'harbor' }).detail).toBe('No.');
  });
});

describe('the end of a terminal’s socket', () => {
  it.each([
    [1008, 'failed'],
    [1011, 'failed'],
    [1012, 'shutting_down'],
    [4001, 'sign_in'],
    [4003, 'refused'],
    [4004, 'unknown'],
    [4008, 'refused'],
    [4009, 'ended_by_other'],
    [4010, 'idle_timeout'],
    [4011, 'failed'],
  ])('%i means %s, with its reason', (code, kind) => {
    expect(outcomeOf(close(code))).toEqual({
      kind: 'over',
      ending: { kind, error: { code: `close_${code}`, message: 'why' } },
    });
  });

  it('is an exit when an exit frame came first', () => {
    const exit = { type: 'exit', code: 3, signal: null } as const;
    expect(outcomeOf(close(1000, { exit, established: true }))).toEqual({
      kind: 'over',
      ending: { kind: 'exit', code: 3, signal: null },
    });
  });

  it('keeps the stage and the hop of an error frame', () => {
    const error = {
      type: 'error',
      code: 'host_unreachable',
      message: 'No',
      stage: 'tcp',
      hop: 'bastion',
    } as const;
    expect(outcomeOf(close(1011, { error }))).toMatchObject({
      ending: { kind: 'failed', error: { stage: 'tcp', hop: 'bastion' } },
    });
  });

  it('is a drop when the shell had started and nobody ended it', () => {
    for (const code of [1000, 1001, 1005, 1006, 1013])
      expect(outcomeOf(close(code, { established: true }))).toMatchObject({ kind: 'drop' });
    expect(outcomeOf(close(1006))).toEqual({ kind: 'over', ending: { kind: 'unreachable' } });
    expect(outcomeOf(close(1012, { established: true }))).toMatchObject({
      ending: { kind: 'shutting_down' },
    });
  });

  it('says that the terminal continues elsewhere, or that a share has ended', () => {
    const told = (code: string) =>
      outcomeOf(close(4009, { established: true, error: { type: 'error', code, message: '' } }));
    expect(told('terminal_taken_over')).toMatchObject({ ending: { kind: 'taken_over' } });
    expect(told('share_ended')).toMatchObject({ ending: { kind: 'share_ended' } });
    expect(told('terminal_ended')).toMatchObject({ ending: { kind: 'ended_by_other' } });
  });

  it('means that the shell is gone when there is nothing left to resume', () => {
    const error = { type: 'error', code: 'session_not_found', message: '' } as const;
    expect(outcomeOf(close(4004, { established: true, error }))).toMatchObject({ ending: { kind: 'lost' } });
    expect(outcomeOf(close(4004, { error }))).toMatchObject({ ending: { kind: 'unknown' } });
  });
});

describe('a socket that could not be opened', () => {
  const refused = (status: number) => new ClientError({ status, code: 'x', detail: '' });

  it('is a drop for a running shell, unless the gateway refused it', () => {
    for (const status of [0, 429, 502]) expect(outcomeOfRefusal(refused(status), true).kind).toBe('drop');
    expect(outcomeOfRefusal(refused(401), true)).toMatchObject({ ending: { kind: 'sign_in' } });
    expect(outcomeOfRefusal(refused(403), true)).toMatchObject({ ending: { kind: 'refused' } });
  });

  it('ends a first attempt', () => {
    expect(outcomeOfRefusal(refused(0), false)).toEqual({ kind: 'over', ending: { kind: 'unreachable' } });
  });
});
