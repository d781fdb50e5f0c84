import { createContext, createSignal, onCleanup, useContext } from 'solid-js';
import { createStore, unwrap } from 'solid-js/store';
import { createPlace } from '../lib/storage.ts';
import type { Tabs } from '../workspace/tabs/tabs.ts';
import type { AgentChat } from './chat.ts';
import type { Attachment } from './context.ts';

/** What a panel is opened for. */
export interface AgentWish {
  readonly tab_id: string;
  readonly attachment?: Attachment | undefined;
  /** Put into an empty question box. */
  readonly question?: string | undefined;
}

/** Which tabs show the panel of the agent. */
export interface AgentPanels {
  isOpen(tab_id: string): boolean;
  /** Opens it, or focuses it if it is open. */
  open(wish: AgentWish): void;
  close(tab_id: string): void;
  /** The wish for this tab, once: the panel takes it when it is ready. */
  takeWish(tab_id: string): AgentWish | undefined;
  /** The chat of a server, shared by its tabs and kept while their panels are closed. */
  chatOf(server_id: number, make: (signal: AbortSignal) => AgentChat): AgentChat;
}

export function createAgentPanels(tabs: Pick<Tabs, 'list'>): AgentPanels {
  const place = createPlace('session', 'agent');
  const [open, update] = createStore<Record<string, boolean>>(readOpen(place.read()));
  const [wish, setWish] = createSignal<AgentWish>();
  const chats = new Map<number, AgentChat>();
  const closing = new AbortController();
  onCleanup(() => closing.abort());

  function change(tab_id: string, is_open: boolean): void {
    update({ [tab_id]: is_open });
    const ids = Object.keys(unwrap(open)).filter((id) => open[id] && tabs.list.some((tab) => tab.id === id));
    place.write(ids);
  }

  return {
    isOpen: (tab_id) => open[tab_id] === true,
    open(next) {
      setWish(next);
      change(next.tab_id, true);
    },
    close: (tab_id) => change(tab_id, false),
    takeWish(tab_id) {
      const present = wish();
      if (present?.tab_id !== tab_id) return undefined;
      setWish(undefined);
      return present;
    },
    chatOf(server_id, make) {
      const chat = chats.get(server_id) ?? make(closing.signal);
      chats.set(server_id, chat);
      return chat;
    },
  };
}

const Context = createContext<AgentPanels>();
export const AgentPanelsProvider = Context.Provider;

export function useAgentPanels(): AgentPanels {
  const panels = useContext(Context);
  if (!panels) throw new Error('Outside the workspace');
  return panels;
}

function readOpen(kept: unknown): Record<string, boolean> {
  const ids = Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  return Object.fromEntries(ids.map((id) => [id, true]));
}
