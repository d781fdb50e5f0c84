import { onMount } from 'solid-js';
import type { TerminalAim } from '../../workspace/tabs/aim.ts';
import type { Tabs } from '../../workspace/tabs/tabs.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { ShareMode } from './shares.ts';

const TOKEN = /^[\w-]{1,64}$/;

export interface Join {
  /** Undefined if the link is incomplete. */
  readonly token: string | undefined;
  readonly mode: ShareMode;
}

/** Parses a link to a shared terminal: `?join=<token>`, and `&mode=ro` for view only. */
export function joinOf(address: string): Join | undefined {
  const query = new URL(address).searchParams;
  const token = query.get('join');
  if (token === null) return undefined;
  return {
    token: TOKEN.test(token) ? token : undefined,
    mode: query.get('mode') === 'ro' ? 'ro' : 'rw',
  };
}

export function withoutJoin(address: string): string {
  const url = new URL(address);
  url.searchParams.delete('join');
  url.searchParams.delete('mode');
  return url.href;
}

/** Opens a tab for the shared terminal of the link. */
export function openJoin({ tabs, show }: Pick<Workspace, 'tabs' | 'show'>, server_name: string): void {
  onMount(() => {
    const join = takeJoin();
    if (!join) return;
    const { token, mode } = join;
    if (token === undefined) show({ kind: 'dead_link' });
    else showJoined(tabs, { kind: 'join', token, mode }, server_name);
  });
}

/** Only once: a second tab would be another guest. */
export function showJoined(
  tabs: Pick<Tabs, 'list' | 'open' | 'activate'>,
  aim: JoinAim,
  server_name: string,
): void {
  const there = tabs.list.find((tab) => tab.aim?.kind === 'join' && isSame(tab.aim, aim));
  if (there) tabs.activate(there.id);
  else tabs.open({ kind: 'terminal', server_id: 0, server_name, aim });
}

type JoinAim = Extract<TerminalAim, { kind: 'join' }>;

function isSame(one: JoinAim, other: JoinAim): boolean {
  return one.token === other.token && one.mode === other.mode;
}

/** Takes the link out of the page's address, once. Until then it survives a sign-in. */
function takeJoin(): Join | undefined {
  const join = joinOf(location.href);
  if (join) history.replaceState(history.state, '', withoutJoin(location.href));
  return join;
}
