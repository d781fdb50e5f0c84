import { Tabs } from '@kobalte/core/tabs';
import ChevronDown from 'lucide-solid/icons/chevron-down';
import X from 'lucide-solid/icons/x';
import { createEffect, createMemo, createSignal, For, onCleanup, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { useOpenTerminals } from '../../open-terminals/open-terminals.ts';
import { ContextMenu } from '../../parts/context-menu.tsx';
import { CutName } from '../../parts/cut-name.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { Name } from '../../parts/name.tsx';
import { useKnownServers } from '../../servers/known-servers.ts';
import { distinctionOf, labelOf, type Tab, titleOf } from '../../workspace/tabs/tabs.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { createSpring } from './drag-spring.ts';
import { TAB_ICONS } from './icons.ts';
import { TabMarks, useTabMarks } from './mark.tsx';
import { TabMenu } from './menu.tsx';
import { detailOf, type OwnPlace, wholeTitle, withoutSharedEnd } from './titles.ts';
import './strip.css';

const TAIL_LENGTH = 5; // leaves room for the start in the narrowest tab

interface StripProps {
  readonly group_id: string;
  /** The number of the pane, if there are several. */
  readonly number?: number;
}

/** The tabs of one pane. The close icons are for the mouse; by keyboard Delete or the palette closes a tab. */
export function TabStrip(props: StripProps) {
  const { t } = useApp();
  const { tabs, panes, wishFocus } = useWorkspace();
  const group = () => panes.group(props.group_id);
  const own = createMemo(() => {
    const ids = group()?.tab_ids ?? [];
    return ids.flatMap((id) => tabs.list.find((tab) => tab.id === id) ?? []);
  });
  const [pressed, setPressed] = createSignal<Tab>();
  const shown = () => (tabs.active() ? (group()?.shown_id ?? '') : '');
  const label = () =>
    props.number === undefined ? t('open_tabs') : t('panes_tabs', { number: props.number });
  const drop = createStripDrop(props);
  const [list, setList] = createSignal<HTMLElement>();
  const is_full = createOverflow(list, () => own().length);
  const onOpening = ({ target }: Event) => {
    const id = target instanceof Element ? target.closest('.tab')?.id.replace(/^tab-/, '') : undefined;
    setPressed(own().find((tab) => tab.id === id));
  };
  return (
    <Show when={own().length > 0} fallback={<span class="tab-strip" />}>
      <ContextMenu
        class="tab-strip"
        label={t('tab_menu')}
        menu={<TabMenu tab={pressed()} group_id={props.group_id} />}
        onOpening={onOpening}
        onClosed={wishFocus}
      >
        {/* The handles activate tabs themselves: the widget also reports its own selections while tabs come and go. */}
        <Tabs class="tab-place" value={shown()} activationMode="manual" {...drop}>
          <Tabs.List class="tab-list" aria-label={label()} ref={setList}>
            <For each={own()}>{(tab) => <TabHandle tab={tab} />}</For>
          </Tabs.List>
        </Tabs>
        <Show when={is_full()}>
          <Menu
            label={t('tab_list')}
            icon={<ChevronDown size={16} aria-hidden="true" />}
            class="icon-button tab-overflow"
            onClosed={wishFocus}
          >
            <For each={own()}>{(tab) => <OverflowItem tab={tab} />}</For>
          </Menu>
        </Show>
      </ContextMenu>
    </Show>
  );
}

function OverflowItem(props: { tab: Tab }) {
  const { tabs } = useWorkspace();
  const { named } = useTabMarks(props);
  const label = () => named(labelOf(props.tab, tabs.list));
  return <MenuItem label={label()} onSelect={() => tabs.activate(props.tab.id)} />;
}

/** Drops beside the handles move a tab to the end. */
function createStripDrop(props: StripProps) {
  const { panes, drags, wishFocus } = useWorkspace();
  const dragged = () => {
    const drag = drags.drag();
    return drag?.kind === 'tab' ? drag.tab_id : undefined;
  };
  return {
    onDragOver: (event: DragEvent) => dragged() !== undefined && event.preventDefault(),
    onDrop(event: DragEvent): void {
      const tab_id = dragged();
      if (tab_id === undefined || event.defaultPrevented) return;
      event.preventDefault();
      const last = panes.group(props.group_id)?.tab_ids.at(-1);
      if (last !== undefined && last !== tab_id) panes.reorder(tab_id, last, 'after');
      wishFocus();
    },
  };
}

/** Whether some tabs are out of sight. */
function createOverflow(list: () => HTMLElement | undefined, count: () => number): () => boolean {
  const [is_full, setFull] = createSignal(false);
  createEffect(() => {
    const element = list();
    const place = element?.parentElement;
    count();
    if (!element || !place) return;
    const measure = () => {
      setFull(element.scrollWidth > place.clientWidth + 1);
      const selected = element.querySelector('[data-selected]');
      selected?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(place);
    observer.observe(element);
    measure();
    onCleanup(() => observer.disconnect());
  });
  return is_full;
}

function TabHandle(props: { tab: Tab }) {
  const { t } = useApp();
  const { tabs, statuses, drags, show } = useWorkspace();
  const { terminals } = useOpenTerminals();
  const spring = createSpring(() => {
    const drag = drags.drag();
    if (drag?.kind !== 'tab') tabs.activate(props.tab.id);
  });
  const label = () => labelOf(props.tab, tabs.list);
  const shell_title = () => terminals.of(props.tab.id)?.title() ?? '';
  const ownPlaceOf = useOwnPlaces();
  const detail = () => detailOf(props.tab, shell_title(), ownPlaceOf(props.tab));
  const close = () => tabs.close(props.tab.id);
  const rename = () => show({ kind: 'rename_tab', tab_id: props.tab.id });
  const order = createReorder(props);
  let handle: HTMLElement | undefined;
  createEffect(() => {
    if (tabs.active()?.id !== props.tab.id) return;
    // In the next frame, whose layout is computed anyway.
    const frame = requestAnimationFrame(() =>
      handle?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    onCleanup(() => cancelAnimationFrame(frame));
  });
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Delete') close();
    else if (key === 'F2') rename();
    else if (key === 'Enter' || key === ' ') tabs.activate(props.tab.id);
  };
  const tone = () => statuses[props.tab.id]?.tone ?? 'idle';
  const { marks, named } = useTabMarks(props);
  return (
    <Tabs.Trigger
      ref={(element: HTMLElement) => {
        handle = element;
      }}
      class={`tab ${order.side() ? `tab-drop-${order.side()}` : ''}`}
      value={props.tab.id}
      id={`tab-${props.tab.id}`}
      aria-controls={`panel-${props.tab.id}`}
      aria-label={named(
        t(`${props.tab.kind}_tab`, { name: [label(), detail()].filter((part) => part).join(' ') }),
      )}
      title={t('tab_hint', { name: named(wholeTitle(props.tab, label(), shell_title())) })}
      draggable={true}
      onDragStart={(event: DragEvent) => drags.begin(event, { kind: 'tab', tab_id: props.tab.id })}
      onDragEnter={spring.onDragEnter}
      onDragOver={order.onDragOver}
      onDragLeave={() => {
        spring.onDragLeave();
        order.leave();
      }}
      onDragEnd={spring.onDragLeave}
      onDrop={order.onDrop}
      onClick={() => tabs.activate(props.tab.id)}
      onDblClick={rename}
      onKeyDown={onKeyDown}
      {...onMiddleClick(close)}
    >
      <span class={`tab-icon tone-${tone()}`} aria-hidden="true">
        <Dynamic component={TAB_ICONS[props.tab.kind]} size={15} />
      </span>
      <TabTitle tab={props.tab} detail={detail()} />
      <TabMarks marks={marks()} />
      <span
        class="tab-close"
        aria-hidden="true"
        onPointerDown={(event) => event.stopPropagation()}
        onMouseDown={(event) => event.stopPropagation()}
        onDblClick={(event) => event.stopPropagation()}
        onClick={(event) => {
          event.stopPropagation();
          close();
        }}
      >
        <X size={14} />
      </span>
    </Tabs.Trigger>
  );
}

/** Whose terminal a tab is and where, as far as that is known. */
function useOwnPlaces(): (tab: Tab) => OwnPlace | undefined {
  const known = useKnownServers();
  return ({ aim, server_id, server_name }) => {
    if (aim?.kind === 'quick') return { username: aim.username, hosts: [aim.host] };
    const server = known.serverOf(server_id);
    return server && { username: server.username, hosts: [server.hostname, server_name] };
  };
}

/** On Linux the middle button pastes the selection into the focused terminal: Chromium on `mouseup`, Firefox on `auxclick`. */
function onMiddleClick(action: () => void) {
  const prevent = (event: MouseEvent) => event.button === 1 && event.preventDefault();
  return {
    onMouseDown: prevent,
    onMouseUp: prevent,
    onAuxClick(event: MouseEvent): void {
      prevent(event);
      if (event.button === 1) action();
    },
  };
}

/** The names are cut in their middle; what the shell says or the path takes the room that is left. */
function TabTitle(props: { tab: Tab; detail: string }) {
  const { tabs } = useWorkspace();
  const apart = () => distinctionOf(props.tab, tabs.list);
  const is_long = () => props.tab.kind === 'comparison' || apart().server !== undefined;
  return (
    <span class="tab-label">
      <span class="tab-lead" classList={{ 'tab-lead-long': is_long() }}>
        <TabName name={titleOf(props.tab)} others={tabs.list.map(titleOf)} />{' '}
        <Show when={apart().server}>
          {(server) => (
            <>
              <span>·</span> <TabName name={server()} others={tabs.list.map(serverOf)} />{' '}
            </>
          )}
        </Show>
        <Show when={apart().mark}>{(mark) => <span>{mark()}</span>}</Show>{' '}
      </span>
      <Show when={props.detail}>
        <span class="tab-detail">
          <Name text={props.detail} />
        </span>
      </Show>
    </span>
  );
}

const serverOf = ({ server_name }: Tab) => server_name;

function TabName(props: { name: string; others: readonly string[] }) {
  const name = createMemo(() => withoutSharedEnd(props.name, props.others, TAIL_LENGTH));
  return (
    <span class="tab-name">
      <CutName text={shownName(name())} tail_length={TAIL_LENGTH} />
    </span>
  );
}

/** A tab dropped on the left half of another one goes before it, otherwise after it. */
function createReorder(props: { tab: Tab }) {
  const { panes, drags, wishFocus } = useWorkspace();
  const [side, setSide] = createSignal<'before' | 'after'>();
  const dragged = () => {
    const drag = drags.drag();
    return drag?.kind === 'tab' && drag.tab_id !== props.tab.id ? drag.tab_id : undefined;
  };
  return {
    side,
    leave: () => void setSide(undefined),
    onDragOver(event: DragEvent & { currentTarget: HTMLElement }): void {
      if (dragged() === undefined) return;
      event.preventDefault();
      const { left, width } = event.currentTarget.getBoundingClientRect();
      setSide(event.clientX < left + width / 2 ? 'before' : 'after');
    },
    onDrop(event: DragEvent): void {
      const tab_id = dragged();
      const chosen = side();
      setSide(undefined);
      if (tab_id === undefined || !chosen) return;
      event.preventDefault();
      panes.reorder(tab_id, props.tab.id, chosen);
      wishFocus();
    },
  };
}
