import X from 'lucide-solid/icons/x';
import {
  children,
  createContext,
  createEffect,
  createSignal,
  type JSX,
  on,
  type ParentProps,
  Show,
  useContext,
} from 'solid-js';
import { Portal } from 'solid-js/web';
import { useApp } from '../../app/context.ts';
import { DRAWER_PX } from '../../app/preferences.ts';
import type { PagePlace } from '../../lib/root.ts';
import { createFocusHold } from '../focus.ts';
import { Name } from '../name.tsx';
import { ResizeHandle } from '../resize-handle.tsx';
import type { TableState } from './state.ts';
import './drawer.css';

const Place = createContext<() => HTMLElement | undefined>();

/** Where the drawers of the tables inside open: at the right of their content. */
export function DrawerPlace(props: ParentProps) {
  const { preferences } = useApp();
  const [place, setPlace] = createSignal<HTMLElement>();
  return (
    <Place.Provider value={place}>
      <div class="drawer-frame" style={{ '--drawer': `${preferences.values.drawer_px}px` }}>
        {props.children}
        <div class="drawer-place" ref={setPlace} />
      </div>
    </Place.Provider>
  );
}

interface Props<T> {
  readonly table: TableState<T>;
  readonly children: (row: T) => JSX.Element;
}

/** The details and actions of the row that was opened. Escape closes it and returns to the row. */
export function Drawer<T>(props: Props<T>) {
  const place = useContext(Place);
  return (
    <Show when={place?.()}>
      {(mount) => (
        <Show when={props.table.open() !== undefined}>
          <Portal mount={mount()}>
            <DrawerView table={props.table}>{props.children}</DrawerView>
          </Portal>
        </Show>
      )}
    </Show>
  );
}

function DrawerView<T>(props: Props<T>) {
  const { place, preferences, t } = useApp();
  const hold = createFocusHold();
  const open_id = () => {
    const row = props.table.open();
    return row === undefined ? undefined : props.table.idOf(row);
  };
  const name = () => {
    const row = props.table.open();
    return row === undefined ? '' : props.table.nameOf(row);
  };
  let heading: HTMLHeadingElement | undefined;
  createEffect(on(props.table.openings, () => heading?.focus()));

  function close(): void {
    const row = rowElement(place, open_id(), props.table);
    props.table.close();
    row?.focus();
  }
  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLElement; target: Element }): void {
    const is_inside = event.currentTarget.contains(event.target); // not in a dialog that it has opened
    if (event.key !== 'Escape' || event.defaultPrevented || !is_inside) return;
    event.preventDefault();
    close();
  }

  return (
    <aside
      class="drawer"
      aria-label={t('table_details_of', { name: name() })}
      onKeyDown={onKeyDown}
      ref={hold}
    >
      <ResizeHandle
        class="drawer-resize"
        label={t('resize_details')}
        width_px={preferences.values.drawer_px}
        widths={DRAWER_PX}
        edge="left"
        onResize={(width_px) => preferences.set('drawer_px', width_px)}
      />
      <header class="drawer-head">
        <h3 class="drawer-title" tabIndex={-1} ref={heading}>
          <Name text={String(name())} />
        </h3>
        <button type="button" class="icon-button" aria-label={t('table_close_details')} onClick={close}>
          <X size={18} aria-hidden="true" />
        </button>
      </header>
      <Show when={open_id()} keyed>
        <div class="drawer-body">
          <Show when={props.table.open()}>{(row) => props.children(row())}</Show>
        </div>
      </Show>
    </aside>
  );
}

/** The name of an open row, which took the click or the key. */
function rowElement<T>(
  { root }: PagePlace,
  open_id: number | string | undefined,
  table: TableState<T>,
): HTMLElement | null {
  const index = table.rows().findIndex((row) => table.idOf(row) === open_id);
  return root.querySelector<HTMLElement>(`.screen .table tr[data-index="${index}"] .table-name`);
}

export function Facts(props: ParentProps) {
  return <dl class="drawer-facts">{props.children}</dl>;
}

/** Text may be a name that somebody else chose. */
export function drawn(value: JSX.Element): JSX.Element {
  return typeof value === 'string' ? <Name text={value} /> : value;
}

/** Nothing is shown of a fact without a value. */
export function Fact(props: ParentProps<{ label: string; class?: string }>) {
  const value = children(() => props.children);
  const is_known = () => value() !== '' && value() !== undefined && value() !== null;
  return (
    <Show when={is_known()}>
      <dt>{props.label}</dt>
      <dd class={props.class}>{drawn(value())}</dd>
    </Show>
  );
}

/** The actions at the top of the details. */
export function DrawerActions(props: ParentProps) {
  return <div class="drawer-actions">{props.children}</div>;
}
