import { gotoLine, openSearchPanel } from '@codemirror/search';
import { EditorState, type Text, type TransactionSpec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type Configuration, createSetup } from './setup.ts';

export interface Cursor {
  readonly line: number;
  readonly column: number;
  /** Number of selected characters. */
  readonly selected: number;
}

export interface TextEditor {
  configure(configuration: Configuration): void;
  /** Replaces the text as one undoable step and keeps the cursor near its position. */
  replace(doc: Text): void;
  edit(spec: Pick<TransactionSpec, 'changes'>): void;
  /** Scrolls to the last line. */
  showEnd(): void;
  find(): void;
  goToLine(): void;
  focus(): void;
  /** Removes the focus. */
  blur(): void;
  close(): void;
}

interface Options {
  readonly parent: HTMLElement;
  readonly doc: Text;
  readonly label: () => string;
  readonly configuration: Configuration;
  readonly onDoc: (doc: Text) => void;
  readonly onCursor: (cursor: Cursor) => void;
}

export function openEditor(options: Options): TextEditor {
  const { parent, doc, label, configuration, onDoc, onCursor } = options;
  const setup = createSetup(label, configuration);
  const listener = EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
    if (docChanged) onDoc(state.doc);
    if (docChanged || selectionSet) onCursor(cursorOf(state));
  });
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc, extensions: [setup.extensions, listener] }),
  });
  return {
    configure: (next) => setup.configure(view, next),
    replace(next) {
      const { main } = view.state.selection;
      const anchor = Math.min(main.head, next.length);
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        selection: { anchor },
        userEvent: 'input.replace',
      });
    },
    edit: (spec) => view.dispatch(spec),
    showEnd: () => view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.length, { y: 'end' }) }),
    find: () => void openSearchPanel(view),
    goToLine: () => void gotoLine(view),
    focus: () => view.focus(),
    blur: () => view.contentDOM.blur(),
    close: () => view.destroy(),
  };
}

function cursorOf(state: EditorState): Cursor {
  const { main, ranges } = state.selection;
  const line = state.doc.lineAt(main.head);
  return {
    line: line.number,
    column: main.head - line.from + 1,
    selected: ranges.reduce((sum, { from, to }) => sum + to - from, 0),
  };
}
