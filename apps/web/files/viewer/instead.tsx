import { onMount, type ParentProps } from 'solid-js';
import { shownName } from '../../lib/hidden-characters.ts';
import type { OpenFile } from '../open-file.ts';

interface Props {
  readonly files: OpenFile;
  readonly path: string;
}

/** What is shown in place of a file's content; it takes the focus, and Escape or Backspace leads back to the list. */
export function InsteadOfFile(props: ParentProps<Props>) {
  let place: HTMLDivElement | undefined;
  onMount(() => place?.focus());
  return (
    <div
      class="viewer-trouble"
      role="document"
      aria-label={shownName(props.path)}
      tabIndex={-1}
      ref={place}
      onKeyDown={(event) => (event.key === 'Escape' || event.key === 'Backspace') && props.files.close()}
    >
      {props.children}
    </div>
  );
}
