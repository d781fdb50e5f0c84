import { For } from 'solid-js';

/** A chord as it is drawn on the keys, such as `Ctrl + / −`. */
export function Keys(props: { chord: string }) {
  return <For each={props.chord.split(' ')}>{(key) => (key === '/' ? ' / ' : <kbd>{key}</kbd>)}</For>;
}
