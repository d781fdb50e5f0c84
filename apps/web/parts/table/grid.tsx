import { createVirtualizer } from '@tanstack/solid-virtual';
import ArrowDown from 'lucide-solid/icons/arrow-down';
import ArrowUp from 'lucide-solid/icons/arrow-up';
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  type JSX,
  on,
  onCleanup,
  onMount,
  Show,
} from 'solid-js';
import { useApp } from '../../app/context.ts';
import { isFocusLost } from '../focus.ts';
import { type Column, layOut } from './column.ts';
import { createRowEvents } from './events.ts';
import { PickAll, TableRow } from './row.tsx';
import type { TableState } from './state.ts';

const ROW_PX = 36;
const TOUCH_ROW_PX = 44;
const TWO_LINES_PX = 54;
const TOUCH_TWO_LINES_PX = 60;
const PICK_PX = 36; // the column of check boxes
const VIRTUAL_FROM = 120; // fewer rows are all in the page
const OVERSCAN = 12;
const UNMEASURED_PX = 1000;

interface Props<T> {
  readonly table: TableState<T>;
  readonly labelled_by: string | undefined;
  readonly label: string | undefined;
  readonly is_selectable: boolean;
  /** The rows are one page of a longer list, which cannot be sorted here. */
  readonly is_part: boolean;
  readonly under: ((row: T) => JSX.Element | undefined) | undefined;
}

/** The table itself. Rows have one height, so that only those in sight need to exist. */
export function TableGrid<T>(props: Props<T>) {
  const [place, setPlace] = createSignal<HTMLElement>();
  const width = createWidth(place);
  const pick_px = () => (props.is_selectable ? PICK_PX : 0);
  const layout = createMemo(() =>
    layOut(props.table.choice.columns(), (width() || UNMEASURED_PX) - pick_px()),
  );
  const widths = () => layout().widths;
  const equals = { equals: isSame };
  const columns = createMemo(
    () => props.table.choice.columns().filter(({ id }) => widths().has(id)),
    undefined,
    equals,
  );
  const beside = createMemo(() => layout().beside, undefined, equals);
  const below = createMemo(() => layout().below, undefined, equals);
  const is_narrow = createMemo(() => layout().is_narrow);
  const part = createPart(props, place, is_narrow);
  onMount(() => props.table.is_returned && isFocusLost() && part.focus(props.table.cursor()));
  const events = createRowEvents(props.table, {
    is_selectable: () => props.is_selectable,
    focus: part.focus,
  });
  return (
    <div class="table-place" ref={setPlace} style={{ '--row': `${part.row_px()}px` }}>
      <table
        class="table"
        classList={{ 'table-narrow': is_narrow() }}
        aria-labelledby={props.labelled_by}
        aria-label={props.label}
        aria-rowcount={props.table.rows().length + 1}
      >
        <colgroup>
          <Show when={props.is_selectable}>
            <col style={{ width: toPixels(PICK_PX) }} />
          </Show>
          <For each={columns()}>{({ id }) => <col style={{ width: toPixels(widths().get(id)) }} />}</For>
        </colgroup>
        <thead>
          <tr>
            <Show when={props.is_selectable}>
              <PickAll table={props.table} />
            </Show>
            <For each={columns()}>
              {(column) => <HeadCell column={column} table={props.table} is_part={props.is_part} />}
            </For>
          </tr>
        </thead>
        <tbody onClick={events.onClick} onKeyDown={events.onKeyDown} onMouseDown={events.onMouseDown}>
          <Spacer height_px={part.above_px()} />
          <For each={part.rows()}>
            {(row, at) => (
              <TableRow
                row={row}
                index={part.first() + at()}
                table={props.table}
                columns={columns()}
                beside={beside()}
                below={below()}
                is_selectable={props.is_selectable}
                under={props.under}
              />
            )}
          </For>
          <Spacer height_px={part.below_px()} />
        </tbody>
      </table>
    </div>
  );
}

function isSame<T>(before: readonly T[], after: readonly T[]): boolean {
  return before.length === after.length && before.every((one, at) => one === after[at]);
}

/** Stands in for the rows out of sight. */
function Spacer(props: { height_px: number }) {
  return (
    <Show when={props.height_px > 0}>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can be focused */}
      <tr class="table-spacer" aria-hidden="true" style={{ height: `${props.height_px}px` }} />
    </Show>
  );
}

function createWidth(place: () => HTMLElement | undefined) {
  const [width, setWidth] = createSignal(0);
  onMount(() => {
    const element = place();
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    onCleanup(() => observer.disconnect());
  });
  return width;
}

/** The rows in sight, and the heights of those above and below. */
function createPart<T>(props: Props<T>, place: () => HTMLElement | undefined, is_narrow: () => boolean) {
  const is_touch = matchMedia('(pointer: coarse)').matches;
  const one_line = is_touch ? TOUCH_ROW_PX : ROW_PX;
  const two_lines = is_touch ? TOUCH_TWO_LINES_PX : TWO_LINES_PX;
  const row_px = () => (is_narrow() ? two_lines : one_line);
  const all = () => props.table.rows();
  const is_virtual = () => !props.under && all().length > VIRTUAL_FROM; // rows of one height
  const { scroller, margin } = createScroller(place);
  const virtual = createVirtualizer({
    get count() {
      return is_virtual() ? all().length : 0;
    },
    getScrollElement: () => scroller() ?? null,
    estimateSize: row_px,
    overscan: OVERSCAN,
    get scrollMargin() {
      return margin();
    },
    get scrollPaddingStart() {
      return row_px() * 2; // the sticky head
    },
  });
  createEffect(on(row_px, () => virtual.measure(), { defer: true }));
  const items = () => virtual.getVirtualItems();
  const first = createMemo(() => (is_virtual() ? (items()[0]?.index ?? 0) : 0));
  const end = createMemo(() => (is_virtual() ? (items().at(-1)?.index ?? -1) + 1 : all().length));
  const rowAt = (index: number) =>
    place()?.querySelector<HTMLElement>(`tr[data-index="${index}"] .table-name`);
  function focus(index: number): void {
    if (is_virtual()) virtual.scrollToIndex(index);
    const button = rowAt(index);
    if (button) button.focus();
    else requestAnimationFrame(() => rowAt(index)?.focus());
  }
  return {
    row_px,
    first,
    rows: createMemo(() => all().slice(first(), end())),
    above_px: () => first() * row_px(),
    below_px: () => (all().length - end()) * row_px(),
    focus,
  };
}

/** The element that scrolls the table, and how far below its top the rows begin. */
function createScroller(place: () => HTMLElement | undefined) {
  const [scroller, setScroller] = createSignal<HTMLElement>();
  const [margin, setMargin] = createSignal(0);
  onMount(() => {
    const found = place()?.closest<HTMLElement>('.screen-body, .dialog');
    const body = place()?.querySelector('tbody');
    if (!found || !body) return;
    const measure = () =>
      setMargin(body.getBoundingClientRect().top - found.getBoundingClientRect().top + found.scrollTop);
    const observer = new ResizeObserver(measure);
    for (const part of place()?.closest('.section')?.children ?? []) observer.observe(part);
    found.addEventListener('scroll', measure, { passive: true });
    measure();
    setScroller(found);
    onCleanup(() => {
      observer.disconnect();
      found.removeEventListener('scroll', measure);
    });
  });
  return { scroller, margin };
}

function HeadCell<T>(props: { column: Column<T>; table: TableState<T>; is_part: boolean }) {
  const { t } = useApp();
  const title = () => t(props.column.title);
  const order = () => {
    const by = props.table.order();
    return by?.column_id === props.column.id ? by : undefined;
  };
  const direction = () => {
    const by = order();
    if (!by) return undefined;
    return by.is_descending ? 'descending' : 'ascending';
  };
  return (
    <th scope="col" aria-sort={direction()} class={props.column.class}>
      <Show
        when={props.column.sort && !props.is_part}
        fallback={
          <span classList={{ 'visually-hidden': props.column.is_title_hidden ?? false }}>{title()}</span>
        }
      >
        <button type="button" class="table-sort" onClick={() => props.table.toggleOrder(props.column.id)}>
          <span class="table-cut">{title()}</span>
          <Show when={order()}>
            {(by) =>
              by().is_descending ? (
                <ArrowDown size={13} aria-hidden="true" />
              ) : (
                <ArrowUp size={13} aria-hidden="true" />
              )
            }
          </Show>
        </button>
      </Show>
    </th>
  );
}

/** A call, because a constant style would become an attribute, which a strict CSP refuses. */
function toPixels(width: number | undefined): string {
  return `${width}px`;
}
