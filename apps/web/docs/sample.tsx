import { createSignal } from 'solid-js';
import { copyText } from '../lib/clipboard.ts';

/** A titled block of code with a button that copies it. */
export function Sample(props: { title: string; code: string }) {
  const [said, setSaid] = createSignal('');
  async function copy(): Promise<void> {
    setSaid((await copyText(props.code)) ? 'Copied' : 'Not copied: select the text instead');
  }
  return (
    <figure class="docs-sample">
      <figcaption>
        <span>{props.title}</span>
        <span class="docs-soft" role="status">
          {said()}
        </span>
        <button type="button" class="button" aria-label={`Copy: ${props.title}`} onClick={() => void copy()}>
          Copy
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <pre tabIndex={0}>{props.code}</pre>
    </figure>
  );
}
