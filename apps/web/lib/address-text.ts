import { useSearchParams } from '@solidjs/router';
import { createTyped } from './typed.ts';

/** A text that the page's address keeps, such as a filter: a reload and the back button restore it. */
export function createAddressText(name: string) {
  const [query, setQuery] = useSearchParams();
  return createTyped(
    () => [query[name]].flat()[0] ?? '',
    (text) => setQuery({ [name]: text || undefined }, { replace: true }),
  );
}
