import { createMemo, createSignal } from 'solid-js';
import { moveCursor } from '../../lib/move-cursor.ts';
import { beforeLast, type Completion, complete, lastPart } from './complete.ts';
import type { QueryKey } from './keys.ts';
import type { QueryState } from './state.ts';

const PAGE = 8;
const NOTHING = -1;

interface Options {
  readonly state: QueryState;
  readonly keys: () => readonly QueryKey[];
  readonly labelOf: (key: QueryKey) => string;
  readonly pickDay: (key: QueryKey) => void;
}

/** The list below the bar: what it offers, the option that is active, and its keys. */
export function createCompleter({ state, keys, labelOf, pickDay }: Options) {
  const [open, setOpen] = createSignal(false);
  const [cursor, setCursor] = createSignal(NOTHING);
  const options = createMemo(() => (open() ? complete(state.typed(), keys(), labelOf) : []));

  /** While a value is typed, the best suggestion is active. A word stays a word until the user chooses a suggestion. */
  function show(): void {
    const part = lastPart(state.typed());
    setOpen(true);
    setCursor(part?.key !== undefined && part.value !== '' && options()[0]?.kind === 'value' ? 0 : NOTHING);
  }

  function close(): void {
    setOpen(false);
    setCursor(NOTHING);
  }

  function choose(option: Completion | undefined): void {
    if (!option) return;
    if (option.kind === 'key') {
      state.show(beforeLast(state.typed()) + option.text);
      show();
      return;
    }
    if (option.kind === 'day') pickDay(option.key);
    else state.complete(option.text);
    close();
  }

  /** Tab completes what is typed; where there is nothing to complete, it leaves the bar. */
  function isCompleted(active: Completion | undefined): boolean {
    const best = active ?? (lastPart(state.typed()) ? options()[0] : undefined);
    if (best) choose(best);
    else close();
    return best !== undefined;
  }

  function isMoved(key: string): boolean {
    if (key !== 'ArrowDown' && key !== 'ArrowUp' && key !== 'PageDown' && key !== 'PageUp') return false;
    if (!open()) show();
    const to = moveCursor(key, cursor(), options().length, PAGE);
    if (to !== undefined) setCursor(to);
    return true;
  }

  return {
    options,
    cursor,
    setCursor,
    is_shown: () => open() && options().length > 0,
    show,
    close,
    choose,
    /** Returns whether the key was one of the list’s. */
    press({ key, shiftKey }: KeyboardEvent): boolean {
      const active = options()[cursor()];
      if (isMoved(key)) return true;
      if (key === 'Escape' && open()) close();
      else if (key === 'Enter' && active) choose(active);
      else if (key === 'Tab') return !shiftKey && isCompleted(active);
      else return false;
      return true;
    },
  };
}
