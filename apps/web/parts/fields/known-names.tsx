import { For } from 'solid-js';
import { shownName } from '../../lib/hidden-characters.ts';

/** The names that a text field suggests. The browser draws them as plain text. */
export function KnownNames(props: { id: string; names: readonly string[] }) {
  return (
    <datalist id={props.id}>
      <For each={props.names}>{(name) => <option value={name} label={shownName(name)} />}</For>
    </datalist>
  );
}
