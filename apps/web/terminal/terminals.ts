import { type Accessor, createSignal } from 'solid-js';
import type { Schemas } from '#client/client.ts';

export type Participant = Schemas['TerminalParticipant'];

export interface HostKey {
  readonly fingerprint: string;
  readonly is_new: boolean;
}

/** One open terminal, as other parts of the page may use it. */
export interface TerminalHandle {
  readonly tab_id: string;
  /** Undefined while no shell is there. */
  readonly session_id: Accessor<string | undefined>;
  readonly server_name: Accessor<string>;
  readonly role: Accessor<Participant['role']>;
  readonly mode: Accessor<Participant['mode']>;
  /** Everybody who is attached, oneself included. */
  readonly participants: Accessor<readonly Participant[]>;
  readonly recording: Accessor<boolean>;
  /** Whose session it is, when it is somebody else's. */
  readonly owner: Accessor<string | undefined>;
  /** Of a quick connection: the key that was pinned, now or before. */
  readonly host_key: Accessor<HostKey | undefined>;
  /** Its shell waits for a page that comes back after a reload. */
  readonly outlives_page: Accessor<boolean>;
  /** No shell is there, nor about to be. */
  readonly ended: Accessor<boolean>;
  /** What a program calls it; may be empty. */
  readonly title: Accessor<string>;
  /** Its letters keep their own size, though not all is in sight then; undefined where all is, in letters to be read. */
  readonly readable_size: Accessor<boolean | undefined>;
  /** Opens the search in it. */
  search(): void;
  /** As if it was typed here. */
  send(data: string | Uint8Array): void;
  /** What is typed or pasted here, after it was sent; not what `send` sends. The returned function stops it. */
  onTyped(listener: (data: string | Uint8Array) => void): () => void;
  focus(): void;
}

export interface Terminals {
  readonly list: Accessor<readonly TerminalHandle[]>;
  of(tab_id: string): TerminalHandle | undefined;
  /** The returned function takes it away. */
  add(handle: TerminalHandle): () => void;
}

export function createTerminals(): Terminals {
  const [list, setList] = createSignal<readonly TerminalHandle[]>([]);
  return {
    list,
    of: (tab_id) => list().find((handle) => handle.tab_id === tab_id),
    add(handle) {
      setList((present) => [...present, handle]);
      return () => setList((present) => present.filter((one) => one !== handle));
    },
  };
}
