import { describe, expect, it } from 'vitest';
import { joinOf, showJoined, withoutJoin } from '../../../apps/web/terminal/shares/joins.ts';
import {
  expirySeconds,
  isOver,
  type KnownShare,
  shareInput,
} from '../../../apps/web/terminal/shares/shares.ts';
import { readTabs } from '../../../apps/web/workspace/tabs/kept-tabs.ts';

const JOINED = {
  ...{ id: 'a', kind: 'terminal', server_id: 0, server_name: 'box', path: '' },
  aim: { kind: 'join', token: 't', mode: 'rw' },
};
const NOW = new Date('2026-03-01T12:00:00Z');
const IN_TEN_MINUTES = '2026-03-01T12:10:00Z';

const known = (expires_at: string | null): KnownShare => ({
  share: { token: 't', mode: 'rw', server: 'box', participants: 1, expires_at },
  terms: { mode: 'rw', expiry: expires_at === null ? 'never' : '15_minutes', minutes: '30' },
});

describe('the request for a share', () => {
  it.each([
    [{ mode: 'ro', expiry: 'never', minutes: '' }, { mode: 'ro' }],
    [
      { mode: 'rw', expiry: '1_hour', minutes: '' },
      { mode: 'rw', expires_in: 3600 },
    ],
    [
      { mode: 'rw', expiry: 'custom', minutes: '45' },
      { mode: 'rw', expires_in: 2700 },
    ],
    [{ mode: 'rw', expiry: 'custom', minutes: 'soon' }, undefined],
  ] as const)('%j becomes %j', (terms, input) => {
    expect(shareInput(terms, undefined, NOW)).toEqual(input);
  });

  it('keeps its expiry when only the mode changes', () => {
    const terms = { mode: 'ro', expiry: '15_minutes', minutes: '30' } as const;
    expect(shareInput(terms, known(IN_TEN_MINUTES), NOW)).toEqual({ mode: 'ro', expires_in: 600 });
  });

  it('starts a new share with another expiry', () => {
    const terms = { mode: 'rw', expiry: '1_hour', minutes: '30' } as const;
    expect(shareInput(terms, known(IN_TEN_MINUTES), NOW)).toEqual({ mode: 'rw', expires_in: 3600 });
    expect(shareInput({ ...terms, expiry: 'never' }, known(IN_TEN_MINUTES), NOW)).toEqual({ mode: 'rw' });
  });

  it.each(['0', '-5', '1.5', '', '600000'])('refuses %j minutes', (minutes) => {
    expect(expirySeconds({ mode: 'rw', expiry: 'custom', minutes })).toBeUndefined();
  });

  it('expires', () => {
    expect(isOver({ expires_at: '2026-03-01T12:00:00Z' }, NOW)).toBe(true);
    expect([isOver({ expires_at: IN_TEN_MINUTES }, NOW), isOver({ expires_at: null }, NOW)]).toEqual([
      false,
      false,
    ]);
  });
});

describe('a link to a shared terminal', () => {
  it.each([
    ['https://gw/ops/?join=aB-_9#/tabs/1', { token: 'aB-_9', mode: 'rw' }],
    ['https://gw/?join=abc&mode=ro', { token: 'abc', mode: 'ro' }],
    ['https://gw/?join=a%2Fb', { token: undefined, mode: 'rw' }],
    ['https://gw/?join=', { token: undefined, mode: 'rw' }],
    ['https://gw/ops/', undefined],
  ])('%s is read as %j', (address, join) => {
    expect(joinOf(address)).toEqual(join);
  });

  it.each([
    ['rw', ['to a']],
    ['ro', ['opens']],
  ] as const)('that is already open leads to its tab (%s)', (mode, done) => {
    const steps: string[] = [];
    const list = readTabs({ user_id: 7, tabs: [JOINED] }, 7);
    const open = () => `${steps.push('opens')}`;
    const activate = (id: string) => void steps.push(`to ${id}`);
    showJoined({ list, open, activate }, { kind: 'join', token: 't', mode }, 'box');
    expect(steps).toEqual(done);
  });

  it('is removed from the URL once it is used, and nothing else is', () => {
    expect(withoutJoin('https://gw/ops/?join=abc&lang=es#/account')).toBe('https://gw/ops/?lang=es#/account');
  });
});
