import { type Accessor, createSignal } from 'solid-js';
import type { Schemas } from '#client/client.ts';

export type Participant = Schemas['TerminalParticipant'];

export interface HostKey {
  readonly fingerprint: string;
  readonly is_new: boolean;
}

/** One open terminal, as other parts of the page use it. */
export interface TerminalHandle {
  readonly tab_id: string;
  /** Undefined while there is no shell. */
  readonly session_id: Accessor<string | undefined>;
  /** 0 without a registered server. */
  readonly server_id: Accessor<number>;
  readonly server_name: Accessor<string>;
  readonly role: Accessor<Participant['role']>;
  readonly mode: Accessor<Participant['mode']>;
  /** All members, including this user. */
  readonly participants: Accessor<readonly Participant[]>;
  readonly recording: Accessor<boolean>;
  /** The owner, if it is another user's session. */
  readonly owner: Accessor<string | undefined>;
  /** For quick connections: the pinned host key. */
  readonly host_key: Accessor<HostKey | undefined>;
  /** How the connection to each server on the way is protected; empty for guests, and if that is not known. */
  readonly connection: Accessor<readonly Schemas['HopConnection'][]>;
  /** Its shell keeps running through a reload of the page. */
  readonly outlives_page: Accessor<boolean>;
  /** There is no shell, and none is being opened. */
  readonly ended: Accessor<boolean>;
  /** The title set by a program; may be empty. */
  readonly title: Accessor<string>;
  /** The shell's current directory, if it reports that. */
  readonly directory: Accessor<string | undefined>;
  /** Whether the user's font size is kept, which needs scrolling; undefined if the terminal fits at a readable size. */
  readonly readable_size: Accessor<boolean | undefined>;
  /** The user wants to be notified when the running command has finished. */
  readonly awaits_finish: Accessor<boolean>;
  setAwaitsFinish(awaits: boolean): void;
  selection(): string;
  /** The text of the visible lines. */
  screen(): string;
  /** Copies the selection with its colors. */
  copyHtml(): Promise<void>;
  /** Saves all output that is still there as a text file. */
  saveOutput(): Promise<void>;
  /** Removes everything but the cursor's line from the screen and the scrollback. */
  clear(): void;
  /** Pastes text that the user did not write; several lines always ask. */
  propose(text: string): void;
  /** Opens the search box. */
  search(): void;
  /** Sends the text as if typed here. */
  send(data: string | Uint8Array): void;
  /** Calls back with typed or pasted input after it was sent, but not with input from `send`. The result unsubscribes. */
  onTyped(listener: (data: string | Uint8Array) => void): () => void;
  focus(): void;
}

export interface Terminals {
  readonly list: Accessor<readonly TerminalHandle[]>;
  of(tab_id: string): TerminalHandle | undefined;
  /** The result unregisters it. */
  add(handle: TerminalHandle): () => void;
}

/** A terminal whose tab was closed may still run for a while; nobody but its tab uses it. */
export function createTerminals(isOpen: (tab_id: string) => boolean = () => true): Terminals {
  const [all, setAll] = createSignal<readonly TerminalHandle[]>([]);
  const list = () => all().filter(({ tab_id }) => isOpen(tab_id));
  return {
    list,
    of: (tab_id) => list().find((handle) => handle.tab_id === tab_id),
    add(handle) {
      setAll((present) => [...present, handle]);
      return () => setAll((present) => present.filter((one) => one !== handle));
    },
  };
}
