import { createVirtualizer } from '@tanstack/solid-virtual';
import ArrowDown from 'lucide-solid/icons/arrow-down';
import ArrowUp from 'lucide-solid/icons/arrow-up';
import { createEffect, createUniqueId, For, on, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import type { FileTab } from '../state/files.ts';
import { COLUMNS, type Column, findByPrefix, moveCursor } from '../state/listing.ts';
import { FileRow, rowId } from './file-row.tsx';

const ROW_PX = 30;
const TOUCH_ROW_PX = 44;
const OVERSCAN = 12;
const TYPING_PAUSE_MS = 700;

/** The list as a grid: one row of it is current, only those in sight exist. */
export function FileList(props: { files: FileTab; active: boolean }) {
  const { t } = useApp();
  const grid_id = createUniqueId();
  const row_px = matchMedia('(pointer: coarse)').matches ? TOUCH_ROW_PX : ROW_PX;
  let scroller: HTMLDivElement | undefined;
  const entries = () => props.files.entries();
  const rows = createVirtualizer({
    get count() {
      return entries().length;
    },
    getScrollElement: () => scroller ?? null,
    estimateSize: () => row_px,
    overscan: OVERSCAN,
  });
  const page = () => Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / row_px) - 2);
  const current = () => entries()[props.files.cursor()];
  const typeAhead = createTypeAhead((typed, is_more) => {
    const from = props.files.cursor() + (is_more ? 0 : 1);
    const at = findByPrefix(entries(), typed, from);
    if (at !== undefined) props.files.setCursor(at);
  });

  createEffect(
    on(
      () => [props.files.cursor(), entries(), props.active] as const,
      ([cursor, shown, active]) => active && shown.length > 0 && rows.scrollToIndex(cursor),
    ),
  );

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const target = moveCursor(event.key, props.files.cursor(), entries().length, page());
    if (target !== undefined) props.files.setCursor(target);
    else if (event.key === 'Enter') props.files.openEntry(current());
    else if (event.key === 'Backspace') props.files.goUp();
    else if (!typeAhead(event.key)) return;
    event.preventDefault();
  }

  return (
    <div class="file-list">
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: a grid supports both */}
      <div
        class="file-grid"
        role="grid"
        aria-label={t('files_in', { path: props.files.path() })}
        aria-rowcount={entries().length + 1}
        aria-busy={props.files.loading()}
        aria-activedescendant={current() ? rowId(grid_id, props.files.cursor()) : undefined}
        tabindex={0}
        data-takes-focus
        onKeyDown={onKeyDown}
      >
        <Header files={props.files} />
        <div class="file-rows" role="rowgroup" ref={scroller}>
          <div class="file-space" role="presentation" style={{ height: `${rows.getTotalSize()}px` }}>
            <For each={rows.getVirtualItems()}>
              {(item) => (
                <Show when={entries()[item.index]}>
                  {(entry) => (
                    <FileRow
                      entry={entry()}
                      index={item.index}
                      id={rowId(grid_id, item.index)}
                      top_px={item.start}
                      height_px={row_px}
                      files={props.files}
                    />
                  )}
                </Show>
              )}
            </For>
          </div>
          <Show when={entries().length === 0 && !props.files.loading()}>
            <p class="file-empty" role="presentation">
              {props.files.hidden_count() > 0 ? t('only_hidden') : t('empty_directory')}
            </p>
          </Show>
        </div>
      </div>
      <p class="file-count">
        {t('entry_count', { count: entries().length })}
        <Show when={props.files.hidden_count() > 0}>
          {' · '}
          {t('hidden_count', { count: props.files.hidden_count() })}
        </Show>
      </p>
    </div>
  );
}

function Header(props: { files: FileTab }) {
  return (
    <div role="rowgroup">
      <div class="file-row file-head" role="row" aria-rowindex={1}>
        <For each={COLUMNS}>{(column) => <ColumnHead column={column} files={props.files} />}</For>
        <span class="file-cell" role="columnheader" />
      </div>
    </div>
  );
}

function ColumnHead(props: { column: Column; files: FileTab }) {
  const { t } = useApp();
  const is_sorted = () => props.files.order().column === props.column;
  const direction = () => (props.files.order().descending ? 'descending' : 'ascending');
  return (
    <span
      class={`file-cell file-${props.column}`}
      role="columnheader"
      aria-sort={is_sorted() ? direction() : 'none'}
    >
      <button type="button" class="file-sort" onClick={() => props.files.sortBy(props.column)}>
        {t(`column_${props.column}`)}
        <Show when={is_sorted()}>
          <Show
            when={props.files.order().descending}
            fallback={<ArrowUp size={13} aria-hidden="true" />}
          >
            <ArrowDown size={13} aria-hidden="true" />
          </Show>
        </Show>
      </button>
    </span>
  );
}

/** Letters typed in quick succession are one word. */
function createTypeAhead(find: (typed: string, is_more: boolean) => void): (key: string) => boolean {
  let typed = '';
  let last_ms = 0;
  return (key) => {
    if ([...key].length !== 1 || (key === ' ' && typed === '')) return false;
    const now = performance.now();
    const is_more = now - last_ms < TYPING_PAUSE_MS;
    typed = is_more ? typed + key : key;
    last_ms = now;
    find(typed, is_more);
    return true;
  };
}
