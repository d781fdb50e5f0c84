import { createVirtualizer, type VirtualItem } from '@tanstack/solid-virtual';
import ArrowDown from 'lucide-solid/icons/arrow-down';
import ArrowUp from 'lucide-solid/icons/arrow-up';
import { createEffect, createUniqueId, For, on, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import type { FileTab } from '../state/files.ts';
import { COLUMNS, type Column, findByPrefix, moveCursor } from '../state/listing.ts';
import { createRowClicks } from '../state/row-clicks.ts';
import { FileRow, rowId } from './file-row.tsx';
import './file-list.css';

const ROW_PX = 30;
const TOUCH_ROW_PX = 44;
const HEAD_PX = 32; // stays above the rows
const OVERSCAN = 12;
const TYPING_PAUSE_MS = 700;

/** The list as a grid: one row of it is current, only those in sight exist. */
export function FileList(props: { files: FileTab; active: boolean }) {
  const { t } = useApp();
  return (
    <div class="file-list">
      <FileGrid files={props.files} active={props.active} />
      <p class="file-count">
        <Show when={!props.files.pending()} fallback={t('loading')}>
          {t('entry_count', { count: props.files.entries().length })}
        </Show>
        <Show when={props.files.hidden_count() > 0}>
          {' · '}
          {t('hidden_count', { count: props.files.hidden_count() })}
        </Show>
      </p>
    </div>
  );
}

function FileGrid(props: { files: FileTab; active: boolean }) {
  const { t } = useApp();
  const grid_id = createUniqueId();
  const row_px = matchMedia('(pointer: coarse)').matches ? TOUCH_ROW_PX : ROW_PX;
  let scroller: HTMLDivElement | undefined;
  const entries = () => props.files.entries();
  const is_empty = () => entries().length === 0;
  const rows = createVirtualizer({
    get count() {
      return entries().length;
    },
    getScrollElement: () => scroller ?? null,
    estimateSize: () => row_px,
    overscan: OVERSCAN,
    paddingStart: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  });
  const page = () => Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / row_px) - 2);
  const onKeyDown = createGridKeys(props.files, page);
  let table: HTMLTableElement | undefined;

  createEffect(
    on(
      () => [props.files.cursor(), entries(), props.active] as const,
      ([cursor, shown, active]) => active && shown.length > 0 && rows.scrollToIndex(cursor),
    ),
  );

  return (
    <div class="file-scroller" ref={scroller}>
      <table
        class="file-grid"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table that takes keys
        role="grid"
        aria-label={t('files_in', { path: props.files.path() })}
        aria-rowcount={props.files.pending() ? -1 : entries().length + 1}
        aria-busy={props.files.loading()}
        aria-activedescendant={is_empty() ? undefined : rowId(grid_id, props.files.cursor())}
        tabIndex={0}
        data-takes-focus
        style={{ height: `${rows.getTotalSize()}px` }}
        onKeyDown={onKeyDown}
        ref={table}
      >
        <Header files={props.files} />
        <Rows
          items={rows.getVirtualItems()}
          grid_id={grid_id}
          height_px={row_px}
          files={props.files}
          onFocus={() => table?.focus({ preventScroll: true })}
        />
      </table>
      <Show when={is_empty()}>
        <EmptyList files={props.files} />
      </Show>
    </div>
  );
}

function EmptyList(props: { files: FileTab }) {
  const { t } = useApp();
  const why = () => (props.files.hidden_count() > 0 ? 'only_hidden' : 'empty_directory');
  return (
    <p class="file-empty" role="status">
      {t(props.files.pending() ? 'loading' : why())}
    </p>
  );
}

interface RowsProps {
  readonly items: readonly VirtualItem[];
  readonly grid_id: string;
  readonly height_px: number;
  readonly files: FileTab;
  /** The grid takes the keys, so a click inside must not take the focus from it. */
  readonly onFocus: () => void;
}

function Rows(props: RowsProps) {
  const clicks = createRowClicks(props.files);
  return (
    <tbody onFocusIn={() => props.onFocus()}>
      <For each={props.items}>
        {(item) => (
          <Show when={props.files.entries()[item.index]}>
            {(entry) => (
              <FileRow
                entry={entry()}
                index={item.index}
                id={rowId(props.grid_id, item.index)}
                top_px={item.start}
                height_px={props.height_px}
                files={props.files}
                clicks={clicks}
              />
            )}
          </Show>
        )}
      </For>
    </tbody>
  );
}

/** Arrows, Enter, Backspace, and letters that find a name. */
function createGridKeys(files: FileTab, page: () => number): (event: KeyboardEvent) => void {
  const typeAhead = createTypeAhead((typed, is_more) => {
    const at = findByPrefix(files.entries(), typed, files.cursor() + (is_more ? 0 : 1));
    if (at !== undefined) files.setCursor(at);
  });
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const target = moveCursor(event.key, files.cursor(), files.entries().length, page());
    const is_typed = typeAhead(event.key);
    if (target !== undefined) files.setCursor(target);
    else if (event.key === 'Enter') files.openEntry(files.entries()[files.cursor()]);
    else if (event.key === 'Backspace') files.goUp();
    else if (!is_typed) return;
    event.preventDefault();
  };
}

function Header(props: { files: FileTab }) {
  const { t } = useApp();
  return (
    <thead>
      <tr class="file-row file-head" aria-rowindex={1}>
        <For each={COLUMNS}>{(column) => <ColumnHead column={column} files={props.files} />}</For>
        <th class="file-cell" scope="col">
          <span class="visually-hidden">{t('action')}</span>
        </th>
      </tr>
    </thead>
  );
}

function ColumnHead(props: { column: Column; files: FileTab }) {
  const { t } = useApp();
  const is_sorted = () => props.files.order().column === props.column;
  const direction = () => (props.files.order().descending ? 'descending' : 'ascending');
  return (
    <th class={`file-cell file-${props.column}`} scope="col" aria-sort={is_sorted() ? direction() : 'none'}>
      <button type="button" class="file-sort" onClick={() => props.files.sortBy(props.column)}>
        {t(`column_${props.column}`)}
        <Show when={is_sorted()}>
          <Show when={props.files.order().descending} fallback={<ArrowUp size={13} aria-hidden="true" />}>
            <ArrowDown size={13} aria-hidden="true" />
          </Show>
        </Show>
      </button>
    </th>
  );
}

/** Letters typed in quick succession are one word. */
function createTypeAhead(find: (typed: string, is_more: boolean) => void): (key: string) => boolean {
  let typed = '';
  let last_ms = Number.NEGATIVE_INFINITY;
  return (key) => {
    if ([...key].length !== 1) last_ms = Number.NEGATIVE_INFINITY; // any other key begins a new word
    if ([...key].length !== 1 || (key === ' ' && typed === '')) return false;
    const now = performance.now();
    const is_more = now - last_ms < TYPING_PAUSE_MS;
    typed = is_more ? typed + key : key;
    last_ms = now;
    find(typed, is_more);
    return true;
  };
}
