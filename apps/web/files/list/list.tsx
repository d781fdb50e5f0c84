import { createEffect, createMemo, createSignal, createUniqueId, on, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { ContextMenu } from '../../parts/context-menu.tsx';
import { createListWindow } from '../../parts/list-window.ts';
import { Said } from '../../parts/name.tsx';
import type { FileDrops } from '../drag/drops.ts';
import type { DragStart } from '../drag/start.ts';
import type { FileTab } from '../file-tab.ts';
import { FileListHead } from './head.tsx';
import { createFileKeys } from './keys.ts';
import { FileMenu } from './menu.tsx';
import { rowId } from './row.tsx';
import { BLOCK_ROWS, FileRows } from './rows.tsx';
import { FileStatus } from './status.tsx';
import './list.css';

const ROW_PX = 30;
const TOUCH_ROW_PX = 44;
const HEAD_PX = 32; // height of the sticky header

interface Props {
  readonly files: FileTab;
  readonly drops: FileDrops;
  readonly drag_start: DragStart;
  readonly active: boolean;
}

/** The list with its context menu and status line. */
export function FileList(props: Props) {
  const { t } = useApp();
  const [on_row, setOnRow] = createSignal(false);
  let place: HTMLDivElement | undefined;
  const focus = () => place?.querySelector<HTMLElement>('.file-grid')?.focus({ preventScroll: true });

  /** The menu acts on the selection; a row outside of it is selected first. */
  function aim(event: Event): void {
    const index = indexAt(event);
    const entry = props.files.entries()[index];
    setOnRow(entry !== undefined);
    if (entry && !props.files.isChosen(entry.path)) props.files.setCursor(index);
  }
  return (
    <div class="file-list" ref={place}>
      <ContextMenu
        class="file-menu-area"
        label={t('files_menu')}
        menu={<FileMenu files={props.files} on_row={on_row()} />}
        onOpening={aim}
        onClosed={focus}
      >
        <FileGrid {...props} />
      </ContextMenu>
      <FileStatus files={props.files} />
    </div>
  );
}

/** The row an event belongs to; -1 for none. */
function indexAt({ target }: Event): number {
  const row = target instanceof Element ? target.closest<HTMLElement>('tbody tr') : null;
  return Number(row?.dataset['index'] ?? -1);
}

/** A drop on a directory goes into it; elsewhere, into the listed directory. */
function directoryAt(files: FileTab, event: Event): string {
  const entry = files.entries()[indexAt(event)];
  return entry?.is_dir && entry.addressable ? entry.path : files.path();
}

/** A virtual grid with one current row and multiple selection. */
function FileGrid(props: Props) {
  const { place, t } = useApp();
  const grid_id = createUniqueId();
  const row_px = matchMedia('(pointer: coarse)').matches ? TOUCH_ROW_PX : ROW_PX;
  let scroller: HTMLDivElement | undefined;
  let table: HTMLTableElement | undefined;
  const entries = () => props.files.entries();
  const is_empty = () => entries().length === 0;
  const rows = createRows(props, row_px, () => scroller);
  const current_id = () => rowId(grid_id, props.files.cursor());
  const is_current_shown = () => !is_empty() && rows.has(props.files.cursor());
  const onKeyDown = createFileKeys({
    files: props.files,
    page: () => Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / row_px) - 2),
    openMenu: () => openMenuAt(place.root.getElementById(current_id()) ?? table),
  });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is mouse only; the keyboard has a dialog
    <div
      class="file-scroller"
      classList={{ 'file-drop': props.drops.over() === props.files.path() }}
      ref={scroller}
      onDragOver={(event) => props.drops.onDragOver(event, directoryAt(props.files, event))}
      onDragLeave={(event) => props.drops.onDragLeave(event)}
      onDrop={(event) => props.drops.onDrop(event, directoryAt(props.files, event))}
    >
      <table
        class="file-grid"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table with keyboard interaction
        role="grid"
        aria-label={t('files_in', { path: props.files.path() })}
        aria-rowcount={props.files.pending() ? -1 : entries().length + 1}
        aria-multiselectable="true"
        aria-busy={props.files.loading()}
        aria-activedescendant={is_current_shown() ? current_id() : undefined}
        tabIndex={0}
        data-takes-focus
        style={{ height: `${rows.total_px()}px`, '--row-px': `${row_px}px` }}
        onKeyDown={onKeyDown}
        ref={table}
      >
        <FileListHead files={props.files} />
        <FileRows
          rows={rows}
          grid_id={grid_id}
          files={props.files}
          drops={props.drops}
          drag_start={props.drag_start}
          onFocus={() => table?.focus({ preventScroll: true })}
        />
      </table>
      <Show when={is_empty()}>
        <EmptyList files={props.files} />
      </Show>
    </div>
  );
}

function createRows(props: Props, row_px: number, scroller: () => HTMLDivElement | undefined) {
  const rows = createListWindow({
    count: () => props.files.entries().length,
    row_px,
    head_px: HEAD_PX,
    cover_px: HEAD_PX,
    block_rows: BLOCK_ROWS,
    overscan: 1,
    scroller,
  });
  const is_measured = createMemo(() => rows.height_px() > 0);
  createEffect(
    on(
      () => [props.files.cursor(), props.files.entries(), props.active, is_measured()] as const,
      ([cursor, shown, active]) => active && shown.length > 0 && rows.reveal(cursor),
    ),
  );
  return rows;
}

/** Opens the context menu at this point. */
function openMenuAt(element: Element | undefined): void {
  const box = element?.getBoundingClientRect();
  if (!box) return;
  const place = { clientX: box.left + 48, clientY: Math.min(box.bottom, innerHeight) - 4 };
  element?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...place }));
}

function EmptyList(props: { files: FileTab }) {
  const { t } = useApp();
  const why = () => (props.files.hidden_count() > 0 ? 'only_hidden' : 'files_empty_next');
  const text = () => {
    if (props.files.pending()) return t('loading');
    return props.files.filter() === '' ? t(why()) : t('files_filtered_out', { text: props.files.filter() });
  };
  return (
    <p class="file-empty" role="status">
      <Said text={text()} />
    </p>
  );
}
