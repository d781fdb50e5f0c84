import { EditorView } from '@codemirror/view';

const SELECTION = {
  '& .cm-selectionBackground': { background: 'var(--term-selection)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'var(--term-selection)',
  },
};

const SYNTAX = {
  '.tok-keyword, .tok-operatorKeyword, .tok-modifier': { color: 'var(--term-magenta)' },
  '.tok-string, .tok-string2, .tok-inserted': { color: 'var(--term-green)' },
  '.tok-number, .tok-bool, .tok-atom, .tok-literal': { color: 'var(--term-yellow)' },
  '.tok-comment, .tok-meta': { color: 'var(--term-white)' },
  '.tok-propertyName, .tok-definition, .tok-labelName': { color: 'var(--term-blue)' },
  '.tok-typeName, .tok-className, .tok-namespace, .tok-macroName, .tok-variableName2': {
    color: 'var(--term-cyan)',
  },
  '.tok-link, .tok-url': { color: 'var(--term-blue)', textDecoration: 'underline' },
  '.tok-heading': { color: 'var(--term-blue)', fontWeight: '600' },
  '.tok-strong': { fontWeight: '600' },
  '.tok-emphasis': { fontStyle: 'italic' },
  '.tok-deleted, .tok-invalid': { color: 'var(--term-red)' },
};

const MARKS = {
  '.cm-searchMatch': { background: 'color-mix(in srgb, var(--busy) 28%, transparent)' },
  '.cm-searchMatch-selected': {
    background: 'color-mix(in srgb, var(--busy) 50%, transparent)',
    outline: '1px solid var(--busy)',
  },
  '.cm-selectionMatch': { background: 'color-mix(in srgb, var(--accent) 20%, transparent)' },
  '&.cm-focused .cm-matchingBracket': {
    background: 'none',
    outline: '1px solid var(--line-strong)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', outline: '1px solid var(--bad)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-foldPlaceholder': {
    border: '1px solid var(--line-strong)',
    background: 'var(--sunken)',
    color: 'var(--text-soft)',
  },
};

const PANELS = {
  '.cm-panels': { background: 'var(--surface)', color: 'var(--text)', fontFamily: 'var(--sans)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    padding: '6px 36px 6px 8px',
    '& label': { display: 'inline-flex', alignItems: 'center', fontSize: 'var(--font-row)' },
    '& [name=close]': {
      top: '6px',
      right: '8px',
      width: '28px',
      height: '28px',
      fontSize: 'var(--font-title)',
    },
  },
  '.cm-dialog': { padding: '6px 36px 6px 8px', '& label': { fontSize: 'var(--font-row)' } },
  '.cm-dialog-close': {
    top: '6px',
    right: '8px',
    width: '28px',
    height: '28px',
    fontSize: 'var(--font-title)',
  },
  '.cm-textfield': {
    minHeight: '28px',
    padding: '2px 8px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
    fontSize: 'var(--font-row)',
  },
  '.cm-button': {
    minHeight: '28px',
    padding: '2px 10px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--raised)',
    fontSize: 'var(--font-row)',
    '&:hover, &:active': { background: 'var(--hover)' },
  },
  '.cm-tooltip': { border: '1px solid var(--line)', background: 'var(--raised)', color: 'var(--text)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--chosen)', color: 'var(--text)' },
};

const COMPARISON = {
  '&.cm-merge-a .cm-changedLine': { background: 'color-mix(in srgb, var(--bad) 9%, transparent)' },
  '&.cm-merge-b .cm-changedLine': { background: 'color-mix(in srgb, var(--good) 9%, transparent)' },
  '&.cm-merge-a .cm-changedText': { background: 'color-mix(in srgb, var(--bad) 22%, transparent)' },
  '&.cm-merge-b .cm-changedText': { background: 'color-mix(in srgb, var(--good) 22%, transparent)' },
  '&.cm-merge-a .cm-changedLineGutter': { background: 'var(--bad)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--good)' },
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--text-soft)' },
};

/** Uses the page's color and font tokens, which follow the theme. */
export const theme = EditorView.theme({
  '&': { height: '100%', background: 'var(--term-background)', color: 'var(--term-foreground)' },
  '&.cm-focused': { outline: 'none', boxShadow: 'inset 2px 0 0 var(--focus)' },
  '.cm-scroller': { font: '13px / 1.5 var(--mono)' },
  '.cm-content': { caretColor: 'var(--term-cursor)' },
  '.cm-cursor, .cm-dropCursor': { borderLeft: '2px solid var(--term-cursor)' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--hover) 45%, transparent)' },
  '.cm-gutters': {
    border: '0',
    borderRight: '1px solid var(--line)',
    background: 'var(--term-background)',
    color: 'var(--text-soft)',
  },
  '.cm-activeLineGutter': { background: 'var(--hover)', color: 'var(--text)' },
  ...SELECTION,
  ...SYNTAX,
  ...MARKS,
  '.cm-find-marks': { position: 'absolute', right: '0', zIndex: '2', width: '10px', pointerEvents: 'none' },
  '.cm-find-marks i': {
    position: 'absolute',
    right: '2px',
    width: '6px',
    height: '2px',
    background: 'var(--busy)',
  },
  ...PANELS,
  ...COMPARISON,
});
