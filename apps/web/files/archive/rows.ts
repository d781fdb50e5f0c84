import { type Accessor, createMemo, createSignal } from 'solid-js';
import type { TextKey } from '../../i18n/languages.ts';
import { nameOf } from '../../lib/paths.ts';
import { createListCursor, type ListCursor } from '../list/cursor.ts';
import { type ArchiveRow, type ArchiveTree, directoryOf } from './tree.ts';

const SHOWN_ROWS = 1000; // the filter finds the others; also the most members of one extraction

/** A row that can be extracted is addressable. */
export interface MemberRow extends ArchiveRow {
  readonly addressable: boolean;
}

export interface ArchiveRows extends ListCursor<MemberRow> {
  /** The directory shown; empty for the top level. */
  readonly directory: Accessor<string>;
  go(directory: string): void;
  readonly filter: Accessor<string>;
  setFilter(text: string): void;
  /** The rows shown. */
  readonly entries: Accessor<readonly MemberRow[]>;
  /** How many rows are not shown. */
  readonly more: Accessor<number>;
}

/** One directory of the archive at a time, with its cursor and selection. */
export function createArchiveRows(tree: Accessor<ArchiveTree>): ArchiveRows {
  const [directory, setDirectory] = createSignal('');
  const [filter, setFilter] = createSignal('');
  const found = createMemo(() => {
    const rows = tree().get(directory()) ?? tree().get(directoryOf(directory())) ?? [];
    const wanted = filter().trim().toLowerCase();
    return rows.filter(({ name }) => name.toLowerCase().includes(wanted));
  });
  const entries = createMemo(() => found().slice(0, SHOWN_ROWS).map(toMember));
  const cursor = createListCursor(entries);
  return {
    ...cursor,
    directory,
    go(next) {
      const from = directory();
      setFilter('');
      cursor.clearSelection();
      setDirectory(next);
      cursor.walk(0);
      if (directoryOf(from) === next) cursor.aim(nameOf(from));
    },
    filter,
    setFilter,
    entries,
    more: () => found().length - entries().length,
  };
}

function toMember(row: ArchiveRow): MemberRow {
  return { ...row, addressable: hindranceOf(row) === undefined };
}

/** Why a member can be neither opened nor extracted. */
export function hindranceOf({ entry, is_dir }: ArchiveRow): TextKey | undefined {
  if (!entry || is_dir) return undefined;
  if (entry.is_link) return 'archive_why_link';
  if (entry.is_encrypted) return 'archive_why_encrypted';
  return entry.is_supported ? undefined : 'archive_why_method';
}
