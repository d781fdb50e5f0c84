import ArrowDown from 'lucide-solid/icons/arrow-down';
import ArrowUp from 'lucide-solid/icons/arrow-up';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { ResizeHandle } from '../resize-handle.tsx';
import { type Column, leastWidthOf, MOST_PX } from './column.ts';
import type { TableState } from './state.ts';

const PADDING_PX = 14; // of a cell, and a pixel that rounding takes

interface Props<T> {
  readonly column: Column<T>;
  readonly table: TableState<T>;
  /** The rows are one page of a longer list, which cannot be sorted here. */
  readonly is_part: boolean;
  readonly width_px: number;
  readonly onSort: () => void;
}

export function HeadCell<T>(props: Props<T>) {
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
  let head: HTMLTableCellElement | undefined;
  const widths = {
    least: leastWidthOf(props.column),
    most: MOST_PX,
    /** After a double click. */
    get usual() {
      return head ? fittingWidth(head) : props.column.width;
    },
  };
  function sort(): void {
    props.onSort();
    props.table.toggleOrder(props.column.id);
  }
  return (
    <th ref={head} scope="col" aria-sort={direction()} aria-label={title()} class={props.column.class}>
      <Show
        when={props.column.sort && !props.is_part}
        fallback={
          <span classList={{ 'visually-hidden': props.column.is_title_hidden ?? false }}>{title()}</span>
        }
      >
        <button type="button" class="table-sort" onClick={sort}>
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
      <Show when={!props.column.is_title_hidden}>
        <ResizeHandle
          class="table-edge"
          label={t('table_width_of', { name: title() })}
          width_px={Math.round(props.width_px)}
          widths={widths}
          edge="right"
          onResize={(width_px) => props.table.widths.change(props.column, width_px)}
        />
      </Show>
    </th>
  );
}

/** Returns the width at which no cell of this column in the page is cut. */
function fittingWidth(head: HTMLTableCellElement): number {
  const rows = head.closest('table')?.querySelectorAll<HTMLTableRowElement>('tr.table-row') ?? [];
  const cells = [...rows].flatMap(({ cells }) => cells[head.cellIndex] ?? []);
  const titles = head.querySelector('.table-cut') ?? head.firstElementChild;
  return Math.max(...[titles, ...cells].map((one) => (one ? contentWidth(one) : 0))) + PADDING_PX;
}

function contentWidth(element: Element): number {
  const range = document.createRange();
  range.selectNodeContents(element);
  const drawn_px = range.getBoundingClientRect().width;
  const cut = [element, ...element.querySelectorAll('*:not(.visually-hidden)')].map(
    ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
  );
  return drawn_px + Math.max(0, ...cut.slice(1));
}
