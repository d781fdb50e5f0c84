import { type Accessor, createSignal } from 'solid-js';
import type { App } from '../app/context.ts';
import type { TextKey } from '../i18n/languages.ts';
import { copyText } from '../lib/clipboard.ts';
import type { FileCursor } from './list/cursor.ts';
import type { Entry } from './list/entries.ts';
import type { FileListing } from './list/listing.ts';
import { type FileAction, hindranceOf } from './rights.ts';

export type FileDialog =
  | { readonly kind: 'make'; readonly what: 'directory' | 'file' }
  | { readonly kind: 'extract'; readonly path: string }
  | { readonly kind: 'delete' | 'chmod' | 'properties' | 'send'; readonly entries: readonly Entry[] };

export interface Note {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

export interface FileActions {
  readonly dialog: Accessor<FileDialog | undefined>;
  showDialog(dialog: FileDialog | undefined): void;
  /** Path of the entry being renamed. */
  readonly renaming: Accessor<string | undefined>;
  setRenaming(path: string | undefined): void;
  /** The note below the list: what was done, or why it cannot be done. */
  readonly note: Accessor<Note>;
  say(text: string, action?: Note['action']): void;
  /** Why it cannot be done now; undefined if it can. */
  hindrance(action: FileAction): string | undefined;
  /** Runs the action, or reports why it cannot. */
  act(action: FileAction, work: (targets: readonly Entry[]) => unknown): void;
  rename(): void;
  make(what: 'directory' | 'file'): void;
  ask(kind: 'delete' | 'chmod' | 'properties'): void;
  /** Copies or moves by keyboard. */
  send(): void;
  copyPaths(): void;
}

export function createFileActions(app: App, listing: FileListing, { targets }: FileCursor): FileActions {
  const { t } = app;
  const [dialog, showDialog] = createSignal<FileDialog>();
  const [renaming, setRenaming] = createSignal<string>();
  const [note, setNote] = createSignal<Note>({ text: '' });
  const say = (text: string, action?: Note['action']) => void setNote({ text, action });

  function hindrance(action: FileAction): string | undefined {
    const why: TextKey | undefined = hindranceOf(action, {
      server: listing.server(),
      directory: listing.path(),
      targets: targets(),
      is_demo: listing.is_demo(),
    });
    return why && t(why);
  }
  function act(action: FileAction, work: (entries: readonly Entry[]) => unknown): void {
    const why = hindrance(action);
    say(why ?? '');
    if (why === undefined) work(targets());
  }
  async function copyPaths(entries: readonly Entry[]): Promise<void> {
    const is_copied = await copyText(entries.map(({ path }) => path).join('\n'));
    say(is_copied ? t('files_paths_copied', { count: entries.length }) : t('not_copied'));
  }

  return {
    dialog,
    showDialog,
    renaming,
    setRenaming,
    note,
    say,
    hindrance,
    act,
    rename: () => act('rename', ([entry]) => setRenaming(entry?.path)),
    make: (what) => act('make', () => showDialog({ kind: 'make', what })),
    ask: (kind) => act(kind, (entries) => showDialog({ kind, entries })),
    send: () => act('copy', (entries) => showDialog({ kind: 'send', entries })),
    copyPaths: () => act('copy_path', (entries) => void copyPaths(entries)),
  };
}
