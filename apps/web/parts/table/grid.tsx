import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { isFocusLost } from '../focus.ts';
import { layOut } from './column.ts';
import { createRowEvents } from './events.ts';
import { HeadCell } from './head-cell.tsx';
import { PickAll, TableRow } from './row.tsx';
import { createRowsInSight } from './rows-in-sight.ts';
import type { TableState } from './state.ts';

const ROW_PX = 36;
const TOUCH_ROW_PX = 44;
const TWO_LINES_PX = 54;
const TOUCH_TWO_LINES_PX = 60;
const PICK_PX = 36; // the column of check boxes
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
    layOut(props.table.columns(), (width() || UNMEASURED_PX) - pick_px(), props.table.widths.set()),
  );
  const widths = () => layout().widths;
  const equals = { equals: isSame };
  const columns = createMemo(
    () => props.table.columns().filter(({ id }) => widths().has(id)),
    undefined,
    equals,
  );
  const beside = createMemo(() => layout().beside, undefined, equals);
  const below = createMemo(() => layout().below, undefined, equals);
  const is_narrow = createMemo(() => layout().is_narrow);
  createEffect(() =>
    props.table.setFitting(new Set([...columns(), ...beside(), ...below()].map(({ id }) => id))),
  );
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
        style={{ width: toPixels(pick_px() + sumOf(widths())) }}
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
              {(column) => (
                <HeadCell
                  column={column}
                  table={props.table}
                  is_part={props.is_part}
                  width_px={widths().get(column.id) ?? 0}
                  onSort={part.hurry}
                />
              )}
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
                is_jumping={part.is_jumping()}
              />
            )}
          </For>
          <Spacer height_px={part.below_px()} />
        </tbody>
      </table>
    </div>
  );
}

function sumOf(widths: ReadonlyMap<string, number>): number {
  return [...widths.values()].reduce((sum, width) => sum + width, 0);
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
  const { part, is_jumping, hurry, reveal } = createRowsInSight({
    count: () => all().length,
    has_one_height: () => !props.under,
    row_px,
    place,
  });
  const rowAt = (index: number) =>
    place()?.querySelector<HTMLElement>(`tr[data-index="${index}"] .table-name`);
  return {
    row_px,
    is_jumping,
    hurry,
    first: () => part().first,
    rows: createMemo(() => all().slice(part().first, part().end)),
    above_px: () => part().first * row_px(),
    below_px: () => Math.max(0, all().length - part().end) * row_px(),
    focus(index: number): void {
      reveal(index);
      rowAt(index)?.focus();
    },
  };
}

/** A call, because a constant style would become an attribute, which a strict CSP refuses. */
function toPixels(width: number | undefined): string {
  return `${width}px`;
}
