import { createEffect, createMemo, createSignal, Index, on, onCleanup } from 'solid-js';
import { insert } from 'solid-js/web';
import { CodeTools, type Inserting } from './code-tools.tsx';
import { blocksOf } from './markdown.ts';
import { createSanitizer } from './sanitize.ts';

const REDRAW_MS = 60; // an answer arrives in many small pieces

interface Props {
  /** Markdown of the model; untrusted. */
  readonly text: string;
  /** Undefined where there is no terminal. */
  readonly inserting: Inserting | undefined;
}

export function Answer(props: Props) {
  const text = createThrottled(() => props.text);
  const sanitize = createSanitizer(window);
  const blocks = createMemo(() => blocksOf(text()));
  return (
    <div class="agent-answer">
      <Index each={blocks()}>
        {(html) => <Block html={html()} sanitize={sanitize} inserting={props.inserting} />}
      </Index>
    </div>
  );
}

interface BlockProps {
  readonly html: string;
  readonly sanitize: (html: string) => DocumentFragment;
  readonly inserting: Inserting | undefined;
}

/** Code blocks, wherever they are, get their buttons after sanitizing. */
function Block(props: BlockProps) {
  const nodes = createMemo(() => {
    const fragment = props.sanitize(props.html);
    for (const pre of fragment.querySelectorAll('pre')) {
      pre.tabIndex = 0; // it scrolls
      const place = document.createElement('div');
      place.className = 'agent-code';
      pre.replaceWith(place);
      insert(place, [<CodeTools code={pre.textContent ?? ''} inserting={props.inserting} />, pre]);
    }
    for (const table of fragment.querySelectorAll('table')) table.tabIndex = 0;
    return [...fragment.childNodes];
  });
  return <>{nodes()}</>;
}

/** The newest value, at most once per interval. */
function createThrottled(value: () => string): () => string {
  const [shown, setShown] = createSignal(value());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    timer = undefined;
    setShown(value());
  };
  createEffect(on(value, () => (timer ??= setTimeout(show, REDRAW_MS)), { defer: true }));
  onCleanup(() => clearTimeout(timer));
  return shown;
}
