import { type Accessor, createSignal } from 'solid-js';
import { createPlace } from '../lib/storage.ts';

export interface EditorSettings {
  readonly wraps: Accessor<boolean>;
  setWraps(wraps: boolean): void;
}

const LONGEST_WRAPPED = 50_000; // characters per line: wrapping 1.8 MB of JSON took 0.3 s per key press

/** The last choice is stored in the browser for the next file. */
export function createEditorSettings(text: string): EditorSettings {
  const place = createPlace('local', 'editor');
  const [wraps, setWraps] = createSignal(readWraps(place.read()) && !hasEndlessLine(text));
  return {
    wraps,
    setWraps(value) {
      setWraps(value);
      place.write({ wraps: value });
    },
  };
}

function readWraps(kept: unknown): boolean {
  return !(typeof kept === 'object' && kept !== null && 'wraps' in kept && kept.wraps === false);
}

function hasEndlessLine(text: string): boolean {
  let start = 0;
  while (text.length - start > LONGEST_WRAPPED) {
    const end = text.indexOf('\n', start);
    if (end < 0 || end - start > LONGEST_WRAPPED) return true;
    start = end + 1;
  }
  return false;
}
