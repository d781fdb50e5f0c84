import { crumbsOf } from '../../lib/paths.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';

/** What a program says, or the directory; nothing where the title already says it. */
export function detailOf(tab: Tab, shell_title: string): string {
  if (tab.title) return '';
  if (tab.kind === 'terminal') return shell_title.trim();
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
