import { createContext, useContext } from 'solid-js';
import { labelOf, type Tabs } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { type Broadcast, createBroadcast } from './broadcast.ts';
import { createTerminals, type TerminalHandle, type Terminals } from './terminals.ts';
import { createTypeAhead, type TypeAhead } from './type-ahead.ts';

/** The terminals of the page, as features beside them use them. */
export interface OpenTerminals {
  readonly terminals: Terminals;
  readonly broadcast: Broadcast;
  /** Where keys go while the chosen terminal cannot have the focus. */
  readonly typing: TypeAhead;
}

export function createOpenTerminals(tabs: Pick<Tabs, 'list'>): OpenTerminals {
  const terminals = createTerminals((tab_id) => tabs.list.some(({ id }) => id === tab_id));
  return { terminals, broadcast: createBroadcast(terminals), typing: createTypeAhead() };
}

const Context = createContext<OpenTerminals>();
export const OpenTerminalsProvider = Context.Provider;

export function useOpenTerminals(): OpenTerminals {
  const open = useContext(Context);
  if (!open) throw new Error('Outside the workspace');
  return open;
}

/** A terminal's label as on its tab, which tells two terminals on one server apart. */
export function useTerminalLabel(): (handle: TerminalHandle) => string {
  const { tabs } = useWorkspace();
  return ({ tab_id, server_name }) => {
    const tab = tabs.list.find(({ id }) => id === tab_id);
    return tab ? labelOf(tab, tabs.list) : server_name();
  };
}
