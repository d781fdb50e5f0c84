import { createMemo, For, Show } from 'solid-js';
import { isPlainName } from '../lib/hidden-characters.ts';
import type { Range } from '../lib/match/ranges.ts';
import { splitName } from '../lib/split-name.ts';
import { Marked, piecesOf } from './marked.tsx';
import './cut-name.css';

interface Props {
  readonly text: string;
  /** What matched a search. */
  readonly ranges?: readonly Range[];
  /** Letters of its end that are always shown, if there is room for few. */
  readonly tail_length?: number;
  /** Names up to this length are drawn as plain text, which is faster: they nearly always fit. */
  readonly fitting_length?: number;
}

/**
 * A name that is cut in its middle where there is no room for it: its start and its end stay visible. What is seen is drawn
 * by styles over the whole name, which is the one text, so that it is read aloud, found and copied in one piece.
 */
export function CutName(props: Props) {
  const parts = createMemo(() => splitName(props.text, props.tail_length));
  const ranges = () => props.ranges ?? [];
  const is_long = () => props.text.length > (props.fitting_length ?? 0);
  const is_cut = () => is_long() && parts().head !== '' && isPlainName(props.text);
  return (
    <Show when={is_cut()} fallback={<Marked text={props.text} ranges={ranges()} />}>
      <span class="cut-name">
        <span class="cut-whole">{props.text}</span>
        <span class="cut-shown" aria-hidden="true">
          <Show
            when={ranges().length > 0}
            fallback={
              <>
                <span class="cut-head">
                  <span data-text={parts().head} />
                </span>
                <span class="cut-tail">
                  <span data-text={parts().tail} />
                </span>
              </>
            }
          >
            <span class="cut-head">
              <Drawn text={parts().head} ranges={ranges()} from={0} />
            </span>
            <span class="cut-tail">
              <Drawn text={parts().tail} ranges={ranges()} from={parts().head.length} />
            </span>
          </Show>
        </span>
      </span>
    </Show>
  );
}

/** A part of the name, without text. */
function Drawn(props: { text: string; ranges: readonly Range[]; from: number }) {
  const end = () => props.from + props.text.length;
  const own = () =>
    props.ranges
      .filter(({ from, to }) => from < end() && to > props.from)
      .map(({ from, to }) => ({
        from: Math.max(from, props.from) - props.from,
        to: Math.min(to, end()) - props.from,
      }));
  return (
    <For each={piecesOf(props.text, own())}>
      {({ text, is_marked }) => (is_marked ? <mark data-text={text} /> : <span data-text={text} />)}
    </For>
  );
}
