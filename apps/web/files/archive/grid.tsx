import { createEffect, createUniqueId, For, on, onMount } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { ContextMenu } from '../../parts/context-menu.tsx';
import { createListKeys } from '../list/keys.ts';
import { PickAllBox } from '../list/pick-box.tsx';
import { rowId } from '../list/row.tsx';
import { createRowClicks } from '../list/row-clicks.ts';
import { MemberMenu, type MemberWork } from './menu.tsx';
import { ArchiveRowView } from './row.tsx';
import type { ArchiveRows, MemberRow } from './rows.ts';
import { directoryOf } from './tree.ts';

const PAGE_ROWS = 10;

interface Props {
  readonly rows: ArchiveRows;
  readonly work: MemberWork;
  readonly archive: string;
  readonly onClose: () => void;
}

/** The rows of one directory: one tab stop, a cursor, and a selection as in the list of files. */
export function ArchiveGrid(props: Props) {
  const { t, place } = useApp();
  const grid_id = createUniqueId();
  let grid: HTMLTableElement | undefined;
  const focus = () => grid?.focus({ preventScroll: true });
  const current = () => place.root.getElementById(rowId(grid_id, props.rows.cursor()));
  const clicks = createRowClicks<MemberRow>({ ...props.rows, openEntry: props.work.open });
  const onKeyDown = createGridKeys(props, () => openMenuAt(current()));
  function aim(event: Event): void {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tbody tr') : null;
    const index = Number(row?.dataset['index'] ?? -1);
    const entry = props.rows.entries()[index];
    if (entry && !props.rows.isChosen(entry.path)) props.rows.setCursor(index);
  }
  createEffect(on(props.rows.cursor, () => current()?.scrollIntoView({ block: 'nearest' }), { defer: true }));
  onMount(() => props.work.onShown(focus));
  return (
    <ContextMenu
      class="archive-menu-area"
      label={t('files_menu')}
      menu={<MemberMenu rows={props.rows} work={props.work} />}
      onOpening={aim}
      onClosed={focus}
    >
      <table
        class="archive-rows"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table with keyboard interaction
        role="grid"
        aria-label={t('archive_of', { name: props.archive })}
        aria-rowcount={props.rows.entries().length + 1}
        aria-multiselectable="true"
        aria-activedescendant={
          props.rows.entries().length > 0 ? rowId(grid_id, props.rows.cursor()) : undefined
        }
        tabIndex={0}
        data-takes-focus
        onKeyDown={onKeyDown}
        ref={grid}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">
              <PickAllBox files={props.rows} />
            </th>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('column_size')}</th>
            <th scope="col">{t('column_modified')}</th>
          </tr>
        </thead>
        <tbody onMouseUp={focus}>
          <For each={props.rows.entries()}>
            {(row, index) => (
              <ArchiveRowView
                row={row}
                index={index()}
                id={rowId(grid_id, index())}
                rows={props.rows}
                clicks={clicks}
              />
            )}
          </For>
        </tbody>
      </table>
    </ContextMenu>
  );
}

function createGridKeys({ rows, work, onClose }: Props, openMenu: () => void) {
  const toggle = () => rows.reach(rows.cursor(), 'toggle');
  const up = () => rows.directory() !== '' && rows.go(directoryOf(rows.directory()));
  return createListKeys({
    list: rows,
    page: () => PAGE_ROWS,
    commands: {
      Enter: () => work.open(rows.entries()[rows.cursor()]),
      Backspace: up,
      'Alt+ArrowUp': up,
      ' ': toggle,
      'Ctrl+ ': toggle,
      'Ctrl+a': rows.selectAll,
      Escape: () => (rows.selected().length > 0 ? rows.clearSelection() : onClose()),
      ContextMenu: openMenu,
      'Shift+F10': openMenu,
    },
  });
}

function openMenuAt(element: Element | null): void {
  const box = element?.getBoundingClientRect();
  if (!box) return;
  const place = { clientX: box.left + 48, clientY: Math.min(box.bottom, innerHeight) - 4 };
  element?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...place }));
}
