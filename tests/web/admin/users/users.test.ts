import { describe, expect, it } from 'vitest';
import {
  changesOf,
  lockOf,
  statesOf,
  touch,
  USER_CHANGES,
  whyNot,
} from '../../../../apps/web/admin/users/users.ts';
import type { User } from '../../../../apps/web/app/session.ts';

const user = (id: number, rest: Partial<User> = {}): User => ({
  id,
  username: `user${id}`,
  is_admin: false,
  must_change_password: false,
  totp_enabled: false,
  allowed_groups: [],
  source: 'local',
  disabled: false,
  is_default_admin: false,
  created_at: '2026-01-01T00:00:00Z',
  ...rest,
});

const root = user(1, { is_admin: true, is_default_admin: true });
const ada = user(2, { is_admin: true, totp_enabled: true });
const bob = user(3, { totp_enabled: true, allowed_groups: ['web'] });
const dora = user(4, { source: 'ldap' });
const users = [root, ada, bob, dora];

const refusedFor = (whom: User, own_id: number, among = users) =>
  Object.fromEntries(
    USER_CHANGES.map((change) => [change, whyNot(change, { user: whom, users: among, own_id })]).filter(
      ([, why]) => why !== undefined,
    ),
  );

describe('the disabled actions of a user', () => {
  it('are none for a local user with two-factor', () => {
    expect(refusedFor(bob, ada.id)).toEqual({});
  });

  it('include deleting or demoting the default administrator', () => {
    expect(refusedFor(root, ada.id)).toEqual({
      delete: 'why_default_admin',
      demote: 'why_default_admin',
      reset_totp: 'why_no_totp',
    });
  });

  it('include what people do to themselves under Account', () => {
    expect(refusedFor(ada, ada.id)).toEqual({
      delete: 'why_own_account',
      demote: 'why_own_account',
      disable: 'why_own_account',
      reset_password: 'why_own_password',
      reset_totp: 'why_own_totp',
    });
  });

  it('include removing the last enabled administrator', () => {
    const among = [{ ...root, disabled: true }, ada, bob];
    expect(refusedFor(ada, root.id, among)).toEqual({
      delete: 'why_last_admin',
      demote: 'why_last_admin',
      disable: 'why_last_admin',
    });
  });

  it('include setting a password that a directory manages', () => {
    expect(refusedFor(dora, ada.id)['reset_password']).toBe('why_directory_password');
  });
});

describe('the user list', () => {
  it('is asked by state', () => {
    const now = new Date();
    expect(statesOf(root, now)).toContain('admin');
    expect(statesOf({ ...bob, disabled: true, totp_enabled: true }, now)).toEqual(['disabled', 'two_factor']);
    expect(
      statesOf(
        { ...bob, totp_enabled: false, locked_until: new Date(now.getTime() + 1000).toISOString() },
        now,
      ),
    ).toEqual(['locked']);
  });

  it('sends only changed fields', () => {
    const nothing = { patch: undefined, groups: undefined };
    expect(changesOf(bob, {})).toEqual(nothing);
    expect(changesOf(bob, { disabled: false, allowed_groups: ['web'] })).toEqual(nothing);
    expect(changesOf(bob, { disabled: true })).toEqual({ patch: { disabled: true }, groups: undefined });
    expect(changesOf(bob, { allowed_groups: [] })).toEqual({ patch: undefined, groups: [] });
  });

  it('keeps what was changed elsewhere while the form was open', () => {
    const reset = { ...bob, must_change_password: true };
    expect(changesOf(reset, touch(bob, {}, { is_admin: true })).patch).toEqual({ is_admin: true });
    const back = touch(bob, { must_change_password: true }, { must_change_password: false });
    expect(back).toEqual({});
    expect(changesOf(reset, back).patch).toBeUndefined();
  });

  it('shows a user as locked until the lock ends', () => {
    const locked_until = '2026-01-01T00:00:05Z';
    const at = (second: number) => new Date(`2026-01-01T00:00:0${second}Z`);
    expect(lockOf({ locked_until }, at(4))).toBe(locked_until);
    expect([
      lockOf({ locked_until }, at(5)),
      lockOf({ locked_until: null }, at(4)),
      lockOf({}, at(4)),
    ]).toEqual([undefined, undefined, undefined]);
  });
});
