import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { ViewParts } from './element.ts';

/** Changes when an attribute of the element does. */
export function followLook({ root }: Pick<ViewParts, 'root'>): Accessor<undefined> {
  const [looked, relook] = createSignal(undefined, { equals: false });
  const again = () => relook();
  root.host.addEventListener('sallyport-look', again);
  onCleanup(() => root.host.removeEventListener('sallyport-look', again));
  return looked;
}
