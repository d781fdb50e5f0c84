import { For, Show } from 'solid-js';
import {
  isPlainName,
  type NamePiece,
  piecesOfLines,
  piecesOfName,
  piecesOfSaid,
} from '../lib/hidden-characters.ts';
import './name.css';

/** A name that somebody else chose: characters that hide or reorder text are drawn as chips, and its direction stays inside. */
export function Name(props: { text: string }) {
  return (
    <Show when={!isPlainName(props.text)} fallback={props.text}>
      <bdi>
        <Pieces pieces={piecesOfName(props.text)} />
      </bdi>
    </Show>
  );
}

/** The same for a command, or a text of a host, which may have several lines. */
export function Lines(props: { text: string }) {
  return (
    <Show when={!isPlainName(props.text)} fallback={props.text}>
      <Pieces pieces={piecesOfLines(props.text.replace(/\r\n?/g, '\n'))} />
    </Show>
  );
}

/** A sentence of the page. Draws the code points that `t` spells out in names as chips. */
export function Said(props: { text: string }) {
  return (
    <Show when={props.text.includes('⟨U+')} fallback={props.text}>
      <Pieces pieces={piecesOfSaid(props.text)} />
    </Show>
  );
}

function Pieces(props: { pieces: readonly NamePiece[] }) {
  return (
    <For each={props.pieces}>
      {({ text, is_hidden }) => (
        <Show when={is_hidden} fallback={text}>
          <span class="hidden-character">{text}</span>
        </Show>
      )}
    </For>
  );
}
