import { type Accessor, createComputed, createMemo, createSignal, For, on, Show } from 'solid-js';
import { prepareSocket } from '#client/terminal/socket.ts';
import { useApp } from '../../app/context.ts';
import { ContextMenu } from '../../parts/context-menu.tsx';
import { createListWindow } from '../../parts/list-window.ts';
import { reachOf } from '../../parts/table/events.ts';
import { useKnownServers } from '../../servers/known-servers.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { firstOffer, useOpening } from './opening.ts';
import type { RailModel } from './rail-model.ts';
import {
  isFirstOfClicks,
  MoreButton,
  SectionView,
  ServerView,
  Tick,
  useAbout,
  useIsCurrent,
} from './row.tsx';
import { type Row, sectionAbove } from './rows.ts';
import { RailMenu } from './server-menu.tsx';

const ROW_PX = 28;
const TOUCH_ROW_PX = 42;
const OVERSCAN = 6;

export interface TreeHandle {
  focus(): void;
  /** Number of visible rows. */
  page(): number;
  moveTo(index: number): void;
  openMenu(): void;
}

interface Props {
  readonly model: RailModel;
  readonly id: string;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onReady: (handle: TreeHandle) => void;
}

export function rowId(tree_id: string, index: number): string {
  return `${tree_id}-${index}`;
}

/** The tree with its context menu. Only the rows in view are in the document. */
export function RailTree(props: Props) {
  const { t } = useApp();
  const { wishFocus } = useWorkspace();
  const [target, setTarget] = createSignal<Row>();
  const [aimed, setAimed] = createSignal(-1);
  let tree: HTMLDivElement | undefined;
  let has_opened = false;
  const focus = () => tree?.focus({ preventScroll: true });

  /** A menu opened by a key or from outside the rows acts on the active row. */
  function aim({ target }: Event): void {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
    const index = Number(element?.dataset['index'] ?? props.model.active());
    has_opened = false;
    props.model.setActive(index);
    setAimed(index);
    setTarget(props.model.rows()[index]);
  }
  return (
    <ContextMenu
      class="rail-menu-area"
      label={t('rail_menu')}
      menu={
        <RailMenu
          row={target()}
          index={aimed()}
          model={props.model}
          onOpened={() => {
            has_opened = true;
          }}
        />
      }
      onOpening={aim}
      onClosed={() => (has_opened ? wishFocus() : focus())}
    >
      <Rows
        {...props}
        ref={(element) => {
          tree = element;
        }}
        focus={focus}
      />
    </ContextMenu>
  );
}

function Rows(props: Props & { ref: (element: HTMLDivElement) => void; focus: () => void }) {
  const { place, t } = useApp();
  const is_touch = matchMedia('(pointer: coarse)').matches;
  const row_px = is_touch ? TOUCH_ROW_PX : ROW_PX;
  const [has_focus, setFocus] = createSignal(false);
  const [pointed, setPointed] = createSignal<string>();
  let scroller: HTMLDivElement | undefined;
  const rows = props.model.rows;
  const list = createListWindow({
    count: () => rows().length,
    row_px,
    cover_px: row_px, // the section that sticks to the top
    block_rows: 1,
    overscan: OVERSCAN,
    scroller: () => scroller,
  });
  const stuck = createMemo(() => sectionAbove(rows(), Math.floor(list.scroll_px() / row_px)));
  /** The section in view and the active row are always in the document. */
  const others = createMemo(() =>
    [...new Set([stuck(), props.model.active()])].filter((at) => at >= 0 && !list.has(at)),
  );

  props.onReady({
    focus: props.focus,
    page: () => Math.max(1, Math.floor(list.height_px() / row_px) - 2),
    moveTo(index) {
      props.model.setActive(index);
      list.reveal(index);
    },
    openMenu: () => openMenuAt(place.root.getElementById(rowId(props.id, props.model.active()))),
  });
  /** The best match, or the active row. */
  const showBest = (text: string) =>
    list.scrollTo(text === '' ? props.model.active() * row_px - (list.height_px() - row_px) / 2 : 0);
  createComputed(on(props.model.text, showBest, { defer: true })); // before the rows are drawn
  const rowAt = (index: Accessor<number>) => (
    <Show when={rows()[index()]}>
      {(row) => (
        <RowView
          row={row()}
          index={index()}
          top_px={index() === stuck() ? undefined : list.topOf(index())}
          tree_id={props.id}
          model={props.model}
          is_open={pointed() === row().key || (has_focus() && props.model.active() === index())}
          is_touch={is_touch}
          onPoint={setPointed}
        />
      )}
    </Show>
  );

  return (
    <div
      class="rail-list"
      ref={scroller}
      onPointerEnter={() => props.model.setPointed(true)}
      onPointerLeave={() => {
        props.model.setPointed(false);
        setPointed(undefined);
      }}
    >
      <div
        class="rail-tree"
        role="tree"
        id={props.id}
        aria-label={t('servers')}
        aria-multiselectable="true"
        aria-activedescendant={props.model.active() < 0 ? undefined : rowId(props.id, props.model.active())}
        tabIndex={0}
        hidden={rows().length === 0}
        style={{ height: `${list.total_px()}px`, '--row': `${row_px}px` }}
        onKeyDown={props.onKey}
        onFocusIn={() => setFocus(true)}
        onFocusOut={() => setFocus(false)}
        ref={props.ref}
      >
        <For each={list.slots()}>{(slot) => rowAt(createMemo(() => list.firstIn(slot)))}</For>
        <For each={others()}>{(index) => rowAt(() => index)}</For>
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: Row;
  readonly index: number;
  /** Undefined for the section that sticks to the top. */
  readonly top_px: number | undefined;
  readonly tree_id: string;
  readonly model: RailModel;
  readonly is_open: boolean;
  /** There is no hovering: the menu's button is always shown. */
  readonly is_touch: boolean;
  readonly onPoint: (key: string) => void;
}

function RowView(props: RowProps) {
  const { client, t } = useApp();
  const { serverOf } = useKnownServers();
  const { open } = useOpening();
  const aboutOf = useAbout();
  const isCurrent = useIsCurrent();
  const server = () => (props.row.kind === 'server' ? serverOf(props.row.server_id) : undefined);
  const about = () => {
    const found = server();
    return found && aboutOf(found);
  };
  const chosen = () => {
    const found = server();
    return found && props.model.selection.has(found.id);
  };
  const section = () => (props.row.kind === 'section' ? props.row : undefined);
  const is_selecting = () => props.model.selection.count() > 0;
  const shared = () => ({ model: props.model, is_open: props.is_open, onMenu: openMenuAt });

  /** By the click, the ticket of the terminal is there. */
  function prepare({ button, pointerType, ctrlKey, metaKey, shiftKey }: PointerEvent): void {
    const found = server();
    const is_click = button === 0 && pointerType === 'mouse' && !ctrlKey && !metaKey && !shiftKey;
    if (is_click && found && firstOffer(found) === 'terminal') prepareSocket(client);
  }

  /** A key selects; a finger, once something is selected. */
  function selects(event: MouseEvent): boolean {
    const is_ticked = props.is_touch && is_selecting() && server() !== undefined;
    const reach = reachOf(event) ?? (is_ticked ? 'toggle' : undefined);
    if (reach) props.model.selection.reach(props.index, reach);
    return reach !== undefined;
  }

  function press(event: MouseEvent): void {
    const is_selected = selects(event);
    props.model.setActive(props.index);
    if (is_selected) return;
    const row = props.row;
    const found = server();
    if (row.kind === 'section') props.model.setOpen(row.section, !row.is_open);
    else if (found && isFirstOfClicks(event)) {
      open(found);
      if (props.is_touch) props.model.endSearch(); // a mouse may open the next match
    }
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree keeps the focus and names the active row
    <div
      class="rail-row"
      classList={{
        'rail-section': props.row.kind === 'section',
        'rail-stuck': props.top_px === undefined,
        'rail-current': props.row.kind === 'server' && isCurrent(props.row.server_id),
        'rail-active': props.model.active() === props.index,
        'rail-chosen': chosen() === true,
        'rail-nested': props.row.level === 2,
        'rail-found': props.model.text() !== '',
      }}
      style={{ transform: props.top_px === undefined ? undefined : `translateY(${props.top_px}px)` }}
      role="treeitem"
      id={rowId(props.tree_id, props.index)}
      data-index={props.index}
      aria-level={props.row.level}
      aria-posinset={props.row.position}
      aria-setsize={props.row.count}
      aria-expanded={section()?.is_open}
      aria-selected={chosen()}
      title={props.is_open ? about() : undefined}
      onPointerOver={({ pointerType }) => pointerType === 'mouse' && props.onPoint(props.row.key)}
      onPointerDown={prepare}
      onClick={press}
    >
      <Show when={section()}>{(row) => <SectionView row={row()} {...shared()} />}</Show>
      <Show when={server() && is_selecting()}>
        <Tick
          is_chosen={chosen() === true}
          onToggle={(event) =>
            props.model.selection.reach(props.index, event.shiftKey ? 'range_more' : 'toggle')
          }
        />
      </Show>
      <Show when={server()}>
        {(found) => (
          <Show when={props.row.kind === 'server' && props.row}>
            {(row) => <ServerView row={row()} server={found()} {...shared()} />}
          </Show>
        )}
      </Show>
      <Show when={props.is_touch && server()}>
        {(found) => <MoreButton label={t('more_about', { name: found().name })} onMenu={openMenuAt} />}
      </Show>
    </div>
  );
}

/** Opens the context menu at this element. */
function openMenuAt(element: HTMLElement | null): void {
  const box = element?.getBoundingClientRect();
  if (!box) return;
  const place = { clientX: box.left + 24, clientY: Math.min(box.bottom, innerHeight) - 4 };
  element?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...place }));
}
