import { Text } from '@codemirror/state';
import { type Accessor, createMemo, createSignal } from 'solid-js';
import type { Draft } from '../workspace/unsaved/drafts.ts';
import { putTogether, type Shape, takeApart } from './line-ends.ts';
import { type Basis, isWriteRefused, type Outcome, type TextFile } from './text-file.ts';

/** One version of a text: its visible content and its format. */
export interface Version {
  readonly doc: Text;
  readonly shape: Shape;
}

/** Why the text could not be saved. */
export type Obstacle =
  | Exclude<Outcome, { readonly kind: 'saved' }>
  | { readonly kind: 'failed'; readonly error: unknown };

export interface TextDocument {
  readonly version: Accessor<Version>;
  /** The content as it would be saved. */
  content(): string;
  readonly is_dirty: Accessor<boolean>;
  /** The file does not exist yet. */
  readonly is_new: Accessor<boolean>;
  readonly is_saving: Accessor<boolean>;
  readonly obstacle: Accessor<Obstacle | undefined>;
  /** The host does not let the account write the file. */
  readonly is_locked: Accessor<boolean>;
  /** The last save removed set-ID bits from the mode. */
  readonly has_lost_mode: Accessor<boolean>;
  /** The precondition of the next save. */
  readonly basis: Accessor<Basis>;
  setDoc(doc: Text): void;
  setShape(shape: Shape): void;
  dismiss(): void;
  /** The file was deleted. */
  lose(): void;
  /** Back to the version last read or saved. */
  revert(): Version;
  /** Shows the saved version in the editor. */
  adopt(file: TextFile): Version;
  /** Returns whether it was saved. */
  save(basis?: Basis): Promise<boolean>;
}

interface Options {
  /** Undefined if there is no such file. */
  readonly file: TextFile | undefined;
  readonly draft: Draft | undefined;
  readonly write: (content: string, basis: Basis) => Promise<Outcome>;
}

/** An edited text: connects its file and its editor. */
export function createTextDocument({ file, draft, write }: Options): TextDocument {
  const first = { ...versionOf(file?.content ?? ''), basis: basisOf(file?.etag) };
  const [saved, setSaved] = createSignal(first);
  const [version, setVersion] = createSignal<Version>(draft ? versionOf(draft.content) : first);
  const [basis, setBasis] = createSignal(draft ? basisOf(draft.etag) : first.basis);
  const [obstacle, setObstacle] = createSignal(draft && staleness(draft, file));
  const [is_saving, setSaving] = createSignal(false);
  const [has_lost_mode, setLostMode] = createSignal(false);
  const [is_locked, setLocked] = createSignal(file?.is_writable === false);
  const is_dirty = createMemo(() => !isSame(version(), saved()));

  function settle(kept: Version, etag: string): void {
    setSaved({ ...kept, basis: basisOf(etag) });
    setBasis(saved().basis);
    setObstacle(undefined);
  }
  function revert(): Version {
    setBasis(saved().basis);
    setObstacle(undefined);
    return setVersion(saved());
  }

  async function save(on = basis()): Promise<boolean> {
    if (is_saving()) return false;
    const sent = version(); // the user may keep typing
    setSaving(true);
    try {
      const outcome = await write(contentOf(sent), on);
      if (outcome.kind !== 'saved') setObstacle(outcome);
      else {
        settle(sent, outcome.etag);
        setLocked(outcome.is_locked === true);
      }
      setLostMode(outcome.kind === 'saved' && outcome.has_lost_mode === true);
      return outcome.kind === 'saved';
    } catch (error) {
      if (on.kind !== 'absent' && isWriteRefused(error)) setLocked(true);
      else setObstacle({ kind: 'failed', error });
      return false;
    } finally {
      setSaving(false);
    }
  }

  return {
    ...{ version, is_dirty, is_saving, obstacle, has_lost_mode, basis, is_locked, revert, save },
    content: () => contentOf(version()),
    is_new: () => basis().kind === 'absent',
    setDoc: (doc) => setVersion(({ shape }) => ({ doc, shape })),
    setShape: (shape) => setVersion(({ doc }) => ({ doc, shape })),
    dismiss: () => setObstacle(undefined),
    lose: () => setObstacle({ kind: 'gone' }),
    adopt({ content, etag, is_writable }) {
      settle(versionOf(content), etag);
      setLocked(is_writable === false);
      return revert();
    },
  };
}

export function versionOf(content: string): Version {
  const { text, shape } = takeApart(content);
  return { doc: Text.of(text.split('\n')), shape };
}

function contentOf({ doc, shape }: Version): string {
  return putTogether(doc.toString(), shape);
}

export function isSame(a: Version, b: Version): boolean {
  return a.shape.bom === b.shape.bom && a.shape.line_end === b.shape.line_end && a.doc.eq(b.doc);
}

function basisOf(etag: string | null | undefined): Basis {
  return typeof etag === 'string' ? { kind: 'etag', etag } : { kind: 'absent' };
}

/** A draft may be based on an older version of the file. */
function staleness(draft: Draft, file: TextFile | undefined): Obstacle | undefined {
  if (draft.etag === (file?.etag ?? null)) return undefined;
  return file ? { kind: 'changed', theirs: file } : { kind: 'gone' };
}
