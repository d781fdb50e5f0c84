import { createUniqueId, For, type JSX, Show } from 'solid-js';
import './text-list.css';

interface Props<T> {
  readonly title: string;
  readonly items: readonly T[];
  readonly class?: string;
  readonly children: (item: T, index: () => number) => JSX.Element;
}

/** A titled, scrollable list; renders nothing if it is empty. */
export function TextList<T>(props: Props<T>) {
  const id = createUniqueId();
  return (
    <Show when={props.items.length > 0}>
      <div class={props.class ?? ''}>
        <p class="text-list-title" id={id}>
          {props.title}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
        <ul class="text-list" aria-labelledby={id} tabIndex={0}>
          <For each={props.items}>{(item, index) => <li>{props.children(item, index)}</li>}</For>
        </ul>
      </div>
    </Show>
  );
}
