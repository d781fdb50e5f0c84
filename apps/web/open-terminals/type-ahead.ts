import { createSignal, untrack } from 'solid-js';

const MOST_KEPT = 64 * 1024; // characters for one terminal

/** What was typed for a terminal before it could take it. */
export type Typed =
  | { readonly kind: 'keys'; readonly data: string }
  | { readonly kind: 'paste'; readonly text: string };

/** A terminal that can take what is typed. */
export interface Receiver {
  take(typed: Typed): void;
  /** Typed text was lost, because too much was kept. */
  overflow(): void;
}

/** A terminal that is about to open: what is typed belongs to it, though it has no tab yet. */
export interface Claim {
  /** Its tab. */
  settle(tab_id: string): void;
}

/** Where the focus goes while the chosen terminal cannot have it: what is typed there reaches that terminal only. */
export interface TypeAhead {
  /** The place that takes the focus; `undefined` when it is gone. */
  attach(place: { focus(is_claimed: boolean): void; leave(): void } | undefined): void;
  /** From now on, what is typed belongs to a terminal that is about to open. `hurry` opens it before another one is chosen. */
  claim(hurry: () => void): Claim;
  /** From now on, what is typed belongs to this terminal; undefined for a tab without one. */
  aim(tab_id: string | undefined): void;
  /** Like `aim`, for a click: the focus goes where it was clicked, which may be a menu. */
  point(tab_id: string | undefined): void;
  /** The tab that is to have what is typed. */
  target(): string | undefined;
  typed(typed: Typed): void;
  /** The terminal takes what was kept for it, and what follows. The result ends that. */
  bind(tab_id: string, receiver: Receiver): () => void;
  isBound(tab_id: string | undefined): boolean;
  /** Drops what was kept for tabs that are gone. */
  prune(isOpen: (tab_id: string) => boolean): void;
}

interface Kept {
  readonly all: Typed[];
  size: number;
  is_full: boolean;
}

/** Keeps what is typed for a terminal that cannot take it yet. */
export function createTypeAhead(): TypeAhead {
  const kept = new Map<string, Kept>();
  const [receivers, setReceivers] = createSignal<ReadonlyMap<string, Receiver>>(new Map());
  let place: Parameters<TypeAhead['attach']>[0];
  let claimed: (Kept & { readonly hurry: () => void }) | undefined;
  let aimed_at: string | undefined;

  function keepFor(tab_id: string): Kept {
    const present = kept.get(tab_id) ?? newKept();
    kept.set(tab_id, present);
    return present;
  }

  function deliver(tab_id: string): void {
    const receiver = untrack(receivers).get(tab_id);
    const present = kept.get(tab_id);
    if (!receiver || !present) return;
    kept.delete(tab_id);
    for (const typed of present.all) receiver.take(typed);
    if (present.is_full) receiver.overflow();
  }

  return {
    attach(next) {
      place = next;
    },
    claim(hurry) {
      claimed?.hurry();
      const own = { ...newKept(), hurry };
      claimed = own;
      place?.focus(true);
      return {
        settle(tab_id) {
          if (claimed === own) {
            claimed = undefined;
            aimed_at = tab_id;
            place?.focus(false);
          }
          const present = keepFor(tab_id);
          for (const typed of own.all) add(present, typed);
          present.is_full ||= own.is_full;
          deliver(tab_id);
        },
      };
    },
    aim(tab_id) {
      if (claimed) return; // what was chosen last has not opened yet
      aimed_at = tab_id;
      if (tab_id === undefined) place?.leave();
      else place?.focus(false);
    },
    point(tab_id) {
      if (!claimed) aimed_at = tab_id;
    },
    target: () => aimed_at,
    typed(typed) {
      if (claimed) add(claimed, typed);
      else if (aimed_at !== undefined) {
        add(keepFor(aimed_at), typed);
        deliver(aimed_at);
      }
    },
    bind(tab_id, receiver) {
      setReceivers((all) => new Map([...all, [tab_id, receiver]]));
      deliver(tab_id);
      return () => setReceivers((all) => new Map([...all].filter(([, one]) => one !== receiver)));
    },
    isBound: (tab_id) => receivers().has(tab_id ?? ''),
    prune(isOpen) {
      for (const id of kept.keys()) if (!isOpen(id)) kept.delete(id);
    },
  };
}

function newKept(): Kept {
  return { all: [], size: 0, is_full: false };
}

/** Nothing is kept after the first loss: a command with a gap could do harm. */
function add(kept: Kept, typed: Typed): void {
  const size = typed.kind === 'keys' ? typed.data.length : typed.text.length;
  if (kept.is_full || kept.size + size > MOST_KEPT) {
    kept.is_full = true;
    return;
  }
  kept.all.push(typed);
  kept.size += size;
}
