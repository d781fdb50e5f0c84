import { describe, expect, it } from 'vitest';
import { endingOf, type SocketClose } from '#client/terminal-ending.ts';
import { createTranslate } from '../../apps/web/i18n/languages.ts';
import { describeEnding } from '../../apps/web/terminal/status.ts';

const close = (code: number, rest: Partial<SocketClose> = {}): SocketClose => ({
  code,
  reason: 'why',
  established: false,
  ...rest,
});

describe('the banner', () => {
  const t = createTranslate(() => 'en');
  const told = (error: { code: string; message: string; hop?: string }) =>
    describeEnding({ kind: 'shutting_down', error }, 'harbor', t);

  it('says once that the gateway is shutting down', () => {
    const { title, detail } = told({ code: 'shutting_down', message: 'The gateway is shutting down' });
    expect([title, detail]).toEqual(['The gateway is shutting down', '']);
  });

  it('names the hop when it is not the server itself', () => {
    expect(told({ code: 'host_unreachable', message: 'No', hop: 'edge' }).detail).toBe('jump host edge · No');
    expect(told({ code: 'host_unreachable', message: 'No', hop: 'harbor' }).detail).toBe('No');
  });
});

describe('the end of a terminal’s socket', () => {
  it.each([
    [1008, 'failed'],
    [1011, 'failed'],
    [1012, 'shutting_down'],
    [4001, 'sign_in'],
    [4003, 'refused'],
    [4004, 'unknown_server'],
    [4008, 'refused'],
    [4009, 'ended_by_other'],
    [4010, 'refused'],
  ])('%i means %s, with its reason', (code, kind) => {
    expect(endingOf(close(code))).toEqual({ kind, error: { code: `close_${code}`, message: 'why' } });
  });

  it('is an exit when an exit frame came first', () => {
    const exit = { type: 'exit', code: 3, signal: null } as const;
    expect(endingOf(close(1000, { exit, established: true }))).toEqual({
      kind: 'exit',
      code: 3,
      signal: null,
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
    expect(endingOf(close(1011, { error }))).toMatchObject({
      kind: 'failed',
      error: { stage: 'tcp', hop: 'bastion' },
    });
  });

  it('without a word is a loss when the shell was there, else nothing was reached', () => {
    expect(endingOf(close(1006, { established: true }))).toEqual({ kind: 'lost' });
    expect(endingOf(close(1006))).toEqual({ kind: 'unreachable' });
  });
});
