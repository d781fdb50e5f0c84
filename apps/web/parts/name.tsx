import { For, Show } from 'solid-js';
import { isPlainName, piecesOfName } from '../lib/hidden-characters.ts';
import './name.css';

/** A name that somebody else chose: characters that hide or reorder text are drawn as chips, and its direction stays inside. */
export function Name(props: { text: string }) {
  return (
    <Show when={!isPlainName(props.text)} fallback={props.text}>
      <bdi>
        <For each={piecesOfName(props.text)}>
          {({ text, is_hidden }) => (
            <Show when={is_hidden} fallback={text}>
              <span class="hidden-character">{text}</span>
            </Show>
          )}
        </For>
      </bdi>
    </Show>
  );
}
