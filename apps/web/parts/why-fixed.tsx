import Info from 'lucide-solid/icons/info';
import { Show } from 'solid-js';
import { useWhyFixed } from '../lib/config.ts';

/** Says why the controls around it are switched off, where they are. */
export function WhyFixed() {
  const why = useWhyFixed();
  return (
    <Show when={why()}>
      {(text) => (
        <p class="note">
          <Info size={16} aria-hidden="true" /> <span>{text()}</span>
        </p>
      )}
    </Show>
  );
}
