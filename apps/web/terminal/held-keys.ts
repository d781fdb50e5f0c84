import { type Accessor, createSignal } from 'solid-js';
import { type KeyBarKey, type Modifiers, sequenceOf, withModifiers } from './keys.ts';

const NONE: Modifiers = { ctrl: false, alt: false };

export interface HeldKeys {
  readonly held: Accessor<Modifiers>;
  toggle(modifier: keyof Modifiers): void;
  /** What is typed, with the keys held; they are let go. */
  apply(data: string | Uint8Array): string | Uint8Array;
  sequence(key: KeyBarKey, application_cursor: boolean): string;
}

/** Ctrl and Alt of the key bar hold for one key. */
export function createHeldKeys(): HeldKeys {
  const [held, setHeld] = createSignal(NONE);
  const release = () => {
    const present = held();
    setHeld(NONE);
    return present;
  };
  return {
    held,
    toggle: (modifier) => setHeld((present) => ({ ...present, [modifier]: !present[modifier] })),
    apply(data) {
      const present = release();
      return typeof data === 'string' ? withModifiers(data, present) : data;
    },
    sequence: (key, application_cursor) => sequenceOf(key, application_cursor, release()),
  };
}
