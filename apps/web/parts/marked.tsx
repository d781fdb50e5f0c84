import { For } from 'solid-js';
import type { Range } from '../lib/match/ranges.ts';
import { Name } from './name.tsx';
import './marked.css';

/** A text in which the parts that matched a search are marked. */
export function Marked(props: { text: string; ranges: readonly Range[] }) {
  return (
    <For each={piecesOf(props.text, props.ranges)}>
      {({ text, is_marked }) =>
        is_marked ? (
          <mark>
            <Name text={text} />
          </mark>
        ) : (
          <Name text={text} />
        )
      }
    </For>
  );
}

export function piecesOf(text: string, ranges: readonly Range[]) {
  const pieces: { text: string; is_marked: boolean }[] = [];
  let at = 0;
  for (const { from, to } of ranges) {
    pieces.push(
      { text: text.slice(at, from), is_marked: false },
      { text: text.slice(from, to), is_marked: true },
    );
    at = to;
  }
  return [...pieces, { text: text.slice(at), is_marked: false }].filter((piece) => piece.text !== '');
}
