import { createEffect, createSignal, on } from 'solid-js';
import { useApp } from '../app/context.ts';
import { SelectField } from '../parts/fields/select.tsx';
import type { Editing } from './editing.ts';
import { INDENTS, type Indent } from './indent.ts';
import { FileEditorLanguage } from './language/language-view.tsx';
import type { LineEnd } from './line-ends.ts';

const LINE_ENDS: Readonly<Record<LineEnd, string>> = { lf: 'LF', crlf: 'CRLF', cr: 'CR', mixed: '' };

/** The status bar: cursor position and file format. */
export function FileEditorStatus(props: { editing: Editing }) {
  const { t } = useApp();
  const { editing } = props;
  const { document } = editing;
  const fixed = () => editing.why_read_only() !== undefined;
  const position = () => {
    const { line, column, selected } = editing.cursor();
    const place = t('editor_position', { line, column });
    return selected > 0 ? `${place} · ${t('editor_selected', { count: selected })}` : place;
  };
  return (
    <footer class="editor-status">
      <FileEditorLanguage editing={editing} />
      <SavedState editing={editing} />
      <span>{position()}</span>
      <SelectField<string>
        is_inline
        label={t('editor_indent')}
        value={keyOf(editing.indent())}
        options={indentOptions(editing.indent()).map((indent) => ({
          value: keyOf(indent),
          label: t(`editor_${indent.kind}`, { width: indent.width }),
        }))}
        onChange={(key) => {
          const chosen = indentOptions(editing.indent()).find((indent) => keyOf(indent) === key);
          if (chosen) editing.setIndent(chosen);
        }}
      />
      <SelectField<string>
        is_inline
        label={t('editor_line_ends')}
        value={document.version().shape.line_end}
        disabled={fixed()}
        options={lineEndsFor(document.version().shape.line_end).map((value) => ({
          value,
          label: value === 'mixed' ? t('editor_mixed') : LINE_ENDS[value],
        }))}
        onChange={(value) => {
          const chosen = lineEndsFor(document.version().shape.line_end).find((end) => end === value);
          if (chosen && chosen !== document.version().shape.line_end) editing.setLineEnd(chosen);
        }}
      />
      <span>{t(document.version().shape.bom ? 'editor_utf8_bom' : 'editor_utf8')}</span>
    </footer>
  );
}

/** Announced to screen readers when it changes. */
function SavedState(props: { editing: Editing }) {
  const { t } = useApp();
  const { document } = props.editing;
  const [was_saved, setWasSaved] = createSignal(false);
  createEffect(on(document.is_saving, (saving, before) => before && !saving && setWasSaved(true)));
  const state = () => {
    if (document.is_saving()) return t('editor_saving');
    if (document.is_dirty()) return t('editor_unsaved');
    if (!was_saved()) return '';
    return t(document.has_lost_mode() ? 'editor_saved_mode_lost' : 'saved');
  };
  return (
    <span role="status" classList={{ busy: document.is_dirty() }}>
      {state()}
    </span>
  );
}

/** An unusual width is offered only if the file uses it. */
function indentOptions(present: Indent): readonly Indent[] {
  return INDENTS.some((indent) => keyOf(indent) === keyOf(present)) ? INDENTS : [present, ...INDENTS];
}

function keyOf({ kind, width }: Indent): string {
  return `${kind}-${width}`;
}

/** Formats that nobody would choose are offered only if the file uses them. */
function lineEndsFor(present: LineEnd): readonly LineEnd[] {
  const usual: readonly LineEnd[] = ['lf', 'crlf'];
  return usual.includes(present) ? usual : [present, ...usual];
}
