import { getChunks, goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge';
import type { EditorState, Text } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { type Accessor, createSignal } from 'solid-js';
import { rootOf } from '../lib/root.ts';
import { type Configuration, createSetup } from './setup.ts';

const DIFF_MS = 500; // beyond this the comparison is coarser

const KEYS = keymap.of([{ key: 'F7', run: goToNextChunk, shift: goToPreviousChunk }]);

export interface Comparison {
  /** Their number. */
  readonly differences: Accessor<number>;
  /** Goes to the next difference, after the last one to the first. */
  next(): void;
  previous(): void;
  focus(): void;
  close(): void;
}

interface Options {
  readonly parent: HTMLElement;
  /** Shown on the right. */
  readonly mine: Text;
  /** Shown on the left. */
  readonly theirs: Text;
  readonly labels: { readonly mine: string; readonly theirs: string };
  readonly configuration: Configuration;
  /** Changes made in the user's version; without it, both are read-only. */
  readonly onMine?: (doc: Text) => void;
}

/** Two versions side by side; only the right one can be editable. */
export function openComparison(options: Options): Comparison {
  const { parent, mine, theirs, labels, configuration, onMine } = options;
  const [differences, setDifferences] = createSignal(0);
  const count = (state: EditorState) => void setDifferences(getChunks(state)?.chunks.length ?? 0);
  const listener = EditorView.updateListener.of(({ docChanged, state }) => {
    count(state);
    if (docChanged) onMine?.(state.doc);
  });
  const reverting = {
    revertControls: 'a-to-b',
    renderRevertControl: () => takeButton(configuration.phrases['Revert this chunk'] ?? ''),
  } as const;

  const left = createSetup(() => labels.theirs, { ...configuration, read_only: true });
  const right = createSetup(() => labels.mine, configuration);
  const view = new MergeView({
    ...{ parent, root: rootOf(parent) },
    a: { doc: theirs, extensions: [left.extensions, KEYS] },
    b: { doc: mine, extensions: [right.extensions, KEYS, listener] },
    ...(onMine ? reverting : {}),
    collapseUnchanged: { margin: 3, minSize: 6 },
    diffConfig: { scanLimit: 1000, timeout: DIFF_MS },
  });
  count(view.b.state);
  const go = (step: typeof goToNextChunk) => {
    step(view.b);
    view.b.focus();
  };
  return {
    differences,
    next: () => go(goToNextChunk),
    previous: () => go(goToPreviousChunk),
    focus: () => view.b.focus(),
    close: () => view.destroy(),
  };
}

function takeButton(label: string): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = '→';
  button.title = label;
  button.setAttribute('aria-label', label);
  // The merge view reacts only to the mouse; a click from the keyboard has no detail.
  button.addEventListener('click', ({ detail }) => {
    if (detail === 0) button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true }));
  });
  return button;
}
