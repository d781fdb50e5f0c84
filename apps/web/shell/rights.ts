import { useQueryClient } from '@tanstack/solid-query';
import { createEffect, on } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { User } from '../app/session.ts';
import { type Feature, useFeatures, windowOf } from '../workspace/features.ts';
import type { Window } from '../workspace/windows.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What decides which servers a user sees, as a comparable string. */
export function rightsOf({ is_admin, allowed_groups }: Pick<User, 'is_admin' | 'allowed_groups'>): string {
  return JSON.stringify([is_admin, [...allowed_groups].sort()]);
}

export function isForAdmins(features: readonly Feature[], window: Window | undefined): boolean {
  return window !== undefined && windowOf(features, window.kind)?.for_admins === true;
}

/** Updates the page when an administrator changes this user's rights. */
export function followRights({ window, show }: Workspace): void {
  const { session } = useApp();
  const features = useFeatures();
  const queries = useQueryClient();
  const rights = () => {
    const user = session.user();
    return user && rightsOf(user);
  };
  const refresh = (now: string | undefined) => {
    if (now === undefined) return;
    if (!session.user()?.is_admin && isForAdmins(features, window())) show(undefined);
    void queries.invalidateQueries({ queryKey: ['servers'] });
  };
  createEffect(on(rights, refresh, { defer: true }));
}
