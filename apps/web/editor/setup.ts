import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { gotoLine, highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { findMarks } from './find-marks.ts';
import { type Indent, unitOf } from './indent.ts';
import { theme } from './theme.ts';

/** Settings that may change while a text is open. */
export interface Configuration {
  readonly language: Extension;
  readonly indent: Indent;
  readonly wraps: boolean;
  readonly read_only: boolean;
  readonly phrases: Record<string, string>;
}

const STRAY_TAB_WIDTH = 4; // of a tab in a text indented with spaces

export interface Setup {
  readonly extensions: Extension;
  configure(view: EditorView, configuration: Configuration): void;
}

/** All extensions of an editor. `label` is its accessible name. */
export function createSetup(label: () => string, configuration: Configuration): Setup {
  const variable = new Compartment();
  return {
    extensions: [
      FIXED,
      EditorView.contentAttributes.of(() => ({ 'aria-label': label() })),
      variable.of(extensionsOf(configuration)),
    ],
    configure: (view, next) => view.dispatch({ effects: variable.reconfigure(extensionsOf(next)) }),
  };
}

function extensionsOf({ language, indent, wraps, read_only, phrases }: Configuration): Extension {
  return [
    language,
    indentUnit.of(unitOf(indent)),
    EditorState.tabSize.of(indent.kind === 'tabs' ? indent.width : STRAY_TAB_WIDTH),
    wraps ? EditorView.lineWrapping : [],
    EditorState.readOnly.of(read_only),
    EditorView.contentAttributes.of(read_only ? { tabindex: '0' } : {}), // scrolled by keyboard
    EditorState.phrases.of(phrases),
  ];
}

// Escape then Tab leaves the editor; CodeMirror handles that itself.
const KEYS = [
  ...closeBracketsKeymap,
  ...defaultKeymap,
  ...searchKeymap,
  ...historyKeymap,
  ...foldKeymap,
  ...completionKeymap,
  indentWithTab,
];

const FIXED: Extension = [
  EditorState.lineSeparator.of('\n'), // a carriage return of a mixed file stays where it was
  EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  foldGutter(),
  drawSelection(),
  dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  syntaxHighlighting(classHighlighter),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ activateOnTyping: false }), // Ctrl+Space asks for it: Enter is to stay Enter
  rectangularSelection(),
  crosshairCursor(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  findMarks,
  Prec.high(keymap.of([{ key: 'Ctrl-g', run: gotoLine }])),
  keymap.of(KEYS),
  theme,
];
