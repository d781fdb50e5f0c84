import { type Accessor, createSignal } from 'solid-js';
import { type KeyBarKey, type Modifiers, NO_MODIFIERS, sequenceOf, withModifiers } from './keys.ts';

export interface HeldKeys {
  readonly held: Accessor<Modifiers>;
  toggle(modifier: keyof Modifiers): void;
  /** Applies the held keys to the input and releases them. */
  apply(data: string | Uint8Array): string | Uint8Array;
  sequence(key: KeyBarKey, application_cursor: boolean): string;
}

/** Ctrl and Alt of the key bar apply to the next key only. */
export function createHeldKeys(): HeldKeys {
  const [held, setHeld] = createSignal(NO_MODIFIERS);
  const release = () => {
    const present = held();
    setHeld(NO_MODIFIERS);
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
