import { queryOptions, useQueryClient } from '@tanstack/solid-query';
import { type GatewayClient, take } from '#client/client.ts';
import { textsOfSource } from '../../account/sources.ts';
import type { User } from '../../app/session.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { usersQuery } from '../../lib/users.ts';

export function userSessionsQuery(client: GatewayClient, user_id: number) {
  const params = { path: { user_id } };
  return queryOptions({
    queryKey: ['user_sessions', user_id],
    queryFn: () => take(client.http.GET('/api/auth/users/{user_id}/sessions', { params })),
  });
}

/** Reloads the users and this user's sessions, which a change may have ended. */
export function createUserRefresh(client: GatewayClient): (user_id: number) => Promise<unknown> {
  const queries = useQueryClient();
  return (user_id) =>
    Promise.all([
      queries.invalidateQueries({ queryKey: usersQuery(client).queryKey }),
      queries.invalidateQueries({ queryKey: userSessionsQuery(client, user_id).queryKey }),
    ]);
}

/** The end of a lockout after failed sign-ins; undefined if the user is not locked out. */
export function lockOf({ locked_until }: Pick<User, 'locked_until'>, now: Date): string | undefined {
  return locked_until && new Date(locked_until) > now ? locked_until : undefined;
}

/** The names of the states that `is:` finds. */
export const STATE_TEXTS = {
  admin: 'administrator',
  disabled: 'disabled',
  locked: 'locked',
  must_change: 'must_change',
  two_factor: 'two_factor',
} as const satisfies Record<string, TextKey>;
export type UserState = keyof typeof STATE_TEXTS;

export function statesOf(user: User, now: Date): UserState[] {
  const { is_admin, disabled, must_change_password, totp_enabled } = user;
  return [
    ...(is_admin ? (['admin'] as const) : []),
    ...(disabled ? (['disabled'] as const) : []),
    ...(lockOf(user, now) ? (['locked'] as const) : []),
    ...(must_change_password ? (['must_change'] as const) : []),
    ...(totp_enabled ? (['two_factor'] as const) : []),
  ];
}

export interface UserDraft {
  readonly allowed_groups: readonly string[];
  readonly is_admin: boolean;
  readonly disabled: boolean;
  readonly must_change_password: boolean;
}

/** Edited values; the other fields follow the stored user. */
export type Touched = Partial<UserDraft>;

const FLAGS = ['is_admin', 'disabled', 'must_change_password'] as const;

/** The edited values that differ; groups have a request of their own. */
export function changesOf(user: UserDraft, touched: Touched) {
  const changed = FLAGS.filter((flag) => touched[flag] !== undefined && touched[flag] !== user[flag]);
  const patch = Object.fromEntries(changed.map((flag) => [flag, touched[flag]]));
  const groups = touched.allowed_groups;
  const is_same = JSON.stringify(user.allowed_groups) === JSON.stringify(groups);
  return {
    patch: changed.length > 0 ? patch : undefined,
    groups: groups === undefined || is_same ? undefined : [...groups],
  };
}

/** Records a change; setting the stored value again removes it. */
export function touch(user: UserDraft, touched: Touched, change: Touched): Touched {
  const { patch, groups } = changesOf(user, { ...touched, ...change });
  return { ...patch, ...(groups ? { allowed_groups: groups } : {}) };
}

export async function saveUser(client: GatewayClient, user: User, touched: Touched): Promise<void> {
  const { patch, groups } = changesOf(user, touched);
  const params = { path: { user_id: user.id } };
  if (patch) await client.http.PATCH('/api/auth/users/{user_id}', { params, body: patch });
  if (groups) {
    const body = { allowed_groups: groups };
    await client.http.PUT('/api/auth/users/{user_id}/groups', { params, body });
  }
}

export const USER_CHANGES = ['delete', 'demote', 'disable', 'reset_password', 'reset_totp'] as const;
export type UserChange = (typeof USER_CHANGES)[number];

interface Situation {
  readonly user: User;
  readonly users: readonly User[];
  readonly own_id: number | undefined;
}

/** Why a change is not available here; undefined if it is. */
export function whyNot(change: UserChange, situation: Situation): TextKey | undefined {
  const { user, own_id } = situation;
  const is_own = user.id === own_id;
  switch (change) {
    case 'reset_password':
      return textsOfSource(user).why_no_password ?? (is_own ? 'why_own_password' : undefined);
    case 'reset_totp':
      if (!user.totp_enabled) return 'why_no_totp';
      return is_own ? 'why_own_totp' : undefined;
    case 'disable':
      return whyStays(situation);
    case 'delete':
    case 'demote':
      return user.is_default_admin ? 'why_default_admin' : whyStays(situation);
  }
}

function whyStays({ user, users, own_id }: Situation): TextKey | undefined {
  if (user.id === own_id) return 'why_own_account';
  return isLastAdmin(user, users) ? 'why_last_admin' : undefined;
}

function isLastAdmin(user: User, users: readonly User[]): boolean {
  const isActive = ({ is_admin, disabled }: User) => is_admin && !disabled;
  return isActive(user) && users.filter(isActive).length === 1;
}
