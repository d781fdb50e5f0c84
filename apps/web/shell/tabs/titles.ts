import { crumbsOf } from '../../lib/paths.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';

/** Who a terminal belongs to and where, by each name that its host may have for itself. */
export interface OwnPlace {
  readonly username: string;
  readonly hosts: readonly string[];
}

const WHO_AND_WHERE = /^([^\s@:]+)@([^\s:]+):\s*(?=\S)/; // as most shells begin their titles

/** The title of a shell without `user@host:`, where that is the tab's own: what is left is a path or a program. */
function withoutOwnPlace(title: string, own: OwnPlace | undefined): string {
  const [start = '', username, host = ''] = WHO_AND_WHERE.exec(title) ?? [];
  const is_own = username === own?.username && own?.hosts.some((known) => isSameHost(known, host));
  return is_own ? title.slice(start.length) : title;
}

/** `web` is `web.example.com`, by whichever of the two a host is known. */
function isSameHost(one: string, other: string): boolean {
  const [short = '', long = ''] = [one.toLowerCase(), other.toLowerCase()].sort(
    (a, b) => a.length - b.length,
  );
  return short === long || (short !== '' && long.startsWith(`${short}.`));
}

/**
 * Returns a name without the end that it shares with names of the same beginning: a narrow tab has room only for what differs,
 * as between `web-1.eu.example.com` and `web-2.eu.example.com`.
 */
export function withoutSharedEnd(name: string, others: readonly string[], tail_length: number): string {
  const shared = others
    .filter((other) => other !== name && other.slice(0, HEAD_LENGTH) === name.slice(0, HEAD_LENGTH))
    .map((other) => sharedEnd(name, other))
    .filter((length) => length >= tail_length);
  if (shared.length === 0) return name;
  const kept = name.length - Math.min(...shared);
  return kept > 0 && !splitsCharacter(name, kept) ? `${name.slice(0, kept)}…` : name;
}

const HEAD_LENGTH = 2; // seen of a name in the narrowest tab

function sharedEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}

function splitsCharacter(text: string, at: number): boolean {
  return /^[\uDC00-\uDFFF\p{M}\u200d]/u.test(text.slice(at));
}

/** What a program says, or the directory; nothing where the title already says it. */
export function detailOf(tab: Tab, shell_title: string, own?: OwnPlace): string {
  if (tab.title) return '';
  if (tab.kind === 'terminal') return withoutOwnPlace(shell_title.trim(), own);
  if (tab.kind === 'files' && tab.path !== '') return crumbsOf(tab.path).at(-1)?.name ?? '';
  return '';
}

/** Everything that the tab has no room for. */
export function wholeTitle(tab: Tab, label: string, shell_title: string): string {
  const { kind, server_name, path, other } = tab;
  const place = kind === 'terminal' ? shell_title.trim() : path;
  const second = other && `${other.server_name}: ${other.path}`;
  const first = label.startsWith(server_name) ? [] : [server_name];
  return [label, [...first, place].filter((part) => part).join(': '), second]
    .filter((part) => part)
    .join('\n');
}
