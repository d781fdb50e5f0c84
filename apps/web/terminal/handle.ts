import type { Accessor } from 'solid-js';
import type { TerminalHandle } from '../open-terminals/terminals.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import type { Alerts } from './alerts/alerts.ts';
import type { PasteGuard } from './clipboard/paste-guard.ts';
import { createExports } from './exports.ts';
import type { Pane } from './pane/pane.ts';
import type { SearchState } from './search/search.ts';
import type { SessionFacts } from './session-facts.ts';
import type { ShellLink } from './shell-link.ts';

type Typed = string | Uint8Array;

export interface TypedNews {
  on(listener: (data: Typed) => void): () => void;
  tell(data: Typed): void;
}

export function createTypedNews(): TypedNews {
  const listeners = new Set<(data: Typed) => void>();
  return {
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell: (data) => listeners.forEach((listener) => void listener(data)),
  };
}

interface Parts {
  readonly tab: Tab;
  readonly link: ShellLink;
  readonly facts: SessionFacts;
  readonly alerts: Pick<Alerts, 'finish'>;
  readonly typed: TypedNews;
  readonly send: (data: Typed) => void;
  readonly focus: () => void;
  readonly ended: Accessor<boolean>;
  readonly title: Accessor<string>;
  readonly directory: Accessor<string | undefined>;
  readonly is_small: Accessor<boolean>;
  readonly search: SearchState;
  readonly pane: Accessor<Pane | undefined>;
  readonly paste: Pick<PasteGuard, 'propose'>;
}

/** One terminal, as seen by the rest of the page. */
export function createTerminalHandle(parts: Parts): TerminalHandle {
  const { tab, link, facts, typed, send, focus } = parts;
  const { is_on, set } = parts.alerts.finish;
  const role = () => (tab.aim?.kind === 'watch' ? 'watcher' : 'guest');
  return {
    tab_id: tab.id,
    session_id() {
      const state = link.state();
      return state.kind === 'open' ? state.session_id : undefined;
    },
    server_id: () => tab.server_id,
    server_name: () => tab.server_name,
    role: () => (facts.owner() === undefined ? 'owner' : role()),
    mode: facts.mode,
    participants: facts.participants,
    recording: facts.recording,
    owner: facts.owner,
    host_key: facts.host_key,
    connection: facts.connection,
    outlives_page: facts.outlives_page,
    ended: parts.ended,
    title: parts.title,
    directory: parts.directory,
    readable_size: () => (parts.is_small() ? tab.readable_size === true : undefined),
    selection: () => parts.pane()?.selection() ?? '',
    screen: () => parts.pane()?.screen() ?? '',
    ...createExports(parts.pane, () => tab.server_name),
    clear: () => parts.pane()?.clear(),
    propose: parts.paste.propose,
    awaits_finish: is_on,
    setAwaitsFinish: set,
    search: parts.search.open,
    send,
    onTyped: typed.on,
    focus,
  };
}
