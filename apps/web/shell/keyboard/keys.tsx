import { For } from 'solid-js';

/** A key chord rendered as keys, such as `Ctrl + / −`. */
export function Keys(props: { chord: string }) {
  return <For each={props.chord.split(' ')}>{(key) => (key === '/' ? ' / ' : <kbd>{key}</kbd>)}</For>;
}
