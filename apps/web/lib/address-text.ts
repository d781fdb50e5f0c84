import { useSearchParams } from '@solidjs/router';
import { createEffect, createSignal, on } from 'solid-js';
import { createTyped } from './typed.ts';

/** A text that the page's address keeps, such as a filter: a reload and the back button restore it. */
export function createAddressText(name: string) {
  const [query, setQuery] = useSearchParams();
  return createTyped(
    () => [query[name]].flat()[0] ?? '',
    (text) => setQuery({ [name]: text || undefined }, { replace: true }),
  );
}

/** A value that the page's address keeps, such as what is open. It changes at once; the address follows. */
export function createAddressValue(name: string) {
  const [query, setQuery] = useSearchParams();
  const kept = () => [query[name]].flat()[0];
  const [value, setValue] = createSignal(kept());
  createEffect(on(kept, (text) => setValue(text), { defer: true }));
  return {
    value,
    /** Unless it replaces the entry of the history, the back button returns to the value before. */
    set(text: string | undefined, { replace = false } = {}): void {
      setValue(text);
      setQuery({ [name]: text }, { replace });
    },
  };
}
