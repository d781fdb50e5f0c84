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
