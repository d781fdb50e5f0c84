import { WebLinksAddon } from '@xterm/addon-web-links';
import type { ILinkHandler, Terminal } from '@xterm/xterm';
import type { Translate } from '../../i18n/languages.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { isMac } from '../../lib/is-mac.ts';

/** Opens links with Ctrl (⌘ on a Mac) and a click, and says so. A link that a program names itself shows where it leads. */
export function followLinks(terminal: Terminal, element: HTMLElement, hint: () => string): void {
  const leave = () => element.removeAttribute('title');
  const say = (text: string) => element.setAttribute('title', text);
  terminal.loadAddon(new WebLinksAddon(openLink, { hover: () => say(hint()), leave }));
  terminal.options.linkHandler = {
    activate: openLink,
    hover: (_event, uri) => say(`${shownName(uri)}\n${hint()}`),
    leave,
  } satisfies ILinkHandler;
}

export function linkHint(t: Translate): string {
  return t(isMac() ? 'link_hint_mac' : 'link_hint');
}

function openLink(event: MouseEvent, uri: string): void {
  if (event.ctrlKey || event.metaKey) window.open(uri, '_blank', 'noopener,noreferrer');
}
