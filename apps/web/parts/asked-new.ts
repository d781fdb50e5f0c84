import { useSearchParams } from '@solidjs/router';
import { createEffect, untrack } from 'solid-js';

/** Opens a screen's dialog for something new when the address asks for it (`?new=1`), which it does once. */
export function followAskedNew(open: () => void): void {
  const [query, setQuery] = useSearchParams();
  createEffect(() => {
    if (query['new'] !== '1') return;
    setQuery({ new: undefined }, { replace: true });
    untrack(open);
  });
}
