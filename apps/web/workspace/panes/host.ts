import { type Accessor, createContext, type JSX, useContext } from 'solid-js';
import type { Schemas } from '#client/client.ts';

type Server = Schemas['Server'];

import type { FileMove } from '../tabs/moved.ts';
import type { Tab } from '../tabs/tabs.ts';
import type { Workspace } from '../workspace.ts';
import './bar.css';

/** What lists and files know of a server. */
export type FileServer = Pick<
  Server,
  'id' | 'name' | 'sftp_enabled' | 'sftp_read_only' | 'sftp_allowed_paths'
> &
  Partial<Pick<Server, 'auth_method' | 'jump_via_id' | 'ssh_enabled' | 'username'>>;

type Shared = 'drags' | 'focus_wish' | 'wishFocus' | 'setStatus' | 'removed' | 'noteRemoved';

/** What is around a list or a file: the workspace, or an embedded element. */
export interface PaneHost extends Pick<Workspace, Shared> {
  readonly servers: Accessor<readonly FileServer[] | undefined>;
  /** The list shows another directory. */
  setPath(tab_id: string, path: string): void;
  /** Opens a file from its list. */
  openFile(list: Tab, path: string, is_new: boolean): void;
  /** Opens a terminal that begins with this command; undefined in an embedded element. */
  openTerminal?(list: Tab, command: string): void;
  /** Files that are open follow their move. */
  moved(move: FileMove): void;
  /** Goes from a file to its list. */
  showList(file: Tab): void;
  /** Brings it to the front. */
  activate(tab_id: string): void;
  close(tab_id: string): void;
  /** Further controls at the end of its row, with a menu that begins with these items. */
  tools(tab: Tab, items?: () => JSX.Element): JSX.Element;
  /** Undefined in an embedded element. */
  readonly workspace?: Workspace;
}

const Context = createContext<PaneHost>();
export const PaneHostProvider = Context.Provider;

export function usePaneHost(): PaneHost {
  const host = useContext(Context);
  if (!host) throw new Error('Outside a place for panes');
  return host;
}
