import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import type { Translate } from '../i18n/languages.ts';
import type { TextDocument, Version } from './document.ts';
import { detectIndent, type Indent } from './indent.ts';
import type { LanguageChoice } from './language/choice.ts';
import { evenEdits, type LineEnd } from './line-ends.ts';
import { type Cursor, openEditor, type TextEditor } from './open-editor.ts';
import { phrasesIn } from './phrases.ts';
import { createEditorSettings } from './settings.ts';
import type { Configuration } from './setup.ts';

/** A document's editor and its display settings. */
export interface Presentation {
  readonly indent: Accessor<Indent>;
  setIndent(indent: Indent): void;
  readonly wraps: Accessor<boolean>;
  setWraps(wraps: boolean): void;
  readonly cursor: Accessor<Cursor>;
  readonly configuration: Accessor<Configuration>;
  attach(host: HTMLElement): void;
  /** Undefined until it is attached. */
  editor(): TextEditor | undefined;
  setLineEnd(line_end: LineEnd): void;
  show(version: Version): void;
}

interface Options {
  readonly t: Translate;
  readonly path: Accessor<string>;
  readonly document: TextDocument;
  readonly language: LanguageChoice;
  readonly why_read_only: Accessor<string | undefined>;
}

export function createPresentation({ t, path, document, language, why_read_only }: Options): Presentation {
  const text = document.version().doc.toString();
  const settings = createEditorSettings(text);
  const [indent, setIndent] = createSignal(detectIndent(path(), text));
  const [cursor, setCursor] = createSignal<Cursor>({ line: 1, column: 1, selected: 0 });
  const configuration = createMemo(
    (): Configuration => ({
      language: language.support(),
      indent: indent(),
      wraps: settings.wraps(),
      read_only: why_read_only() !== undefined,
      phrases: phrasesIn(t),
    }),
  );
  let editor: TextEditor | undefined;
  createEffect(on(configuration, (next) => editor?.configure(next), { defer: true }));
  createEffect(on(path, () => editor?.configure(configuration()), { defer: true })); // its name changes
  onCleanup(() => editor?.close());

  return {
    ...{ indent, setIndent, cursor, configuration },
    ...settings,
    attach(parent) {
      const { doc } = document.version();
      const heard = { onDoc: document.setDoc, onCursor: setCursor };
      editor = openEditor({ parent, doc, label: path, configuration: configuration(), ...heard });
    },
    editor: () => editor,
    setLineEnd(line_end) {
      const { doc, shape } = document.version();
      if (shape.line_end === 'mixed') editor?.edit({ changes: evenEdits(doc.toString()) });
      document.setShape({ ...shape, line_end });
    },
    show({ doc, shape }) {
      editor?.replace(doc);
      document.setShape(shape);
    },
  };
}
