import { Tabs } from '@kobalte/core/tabs';
import X from 'lucide-solid/icons/x';
import { createEffect, createMemo, For, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../../app-context.ts';
import { useWorkspace } from '../workspace.ts';
import { createSpring } from './drag-spring.ts';
import { TAB_ICONS } from './icons.ts';
import { labelOf, numberOf, type Tab, titleOf } from './tabs.ts';
import './strip.css';

interface StripProps {
  readonly group_id: string;
  /** The number of the pane, if there are several. */
  readonly number?: number;
}

/** The tabs of one pane. The close icons are for the mouse; by keyboard Delete or the palette closes a tab. */
export function TabStrip(props: StripProps) {
  const { t } = useApp();
  const { tabs, panes, drags, wishFocus } = useWorkspace();
  const group = () => panes.group(props.group_id);
  const own = createMemo(() => {
    const ids = group()?.tab_ids ?? [];
    return ids.flatMap((id) => tabs.list.find((tab) => tab.id === id) ?? []);
  });
  const shown = () => (tabs.active() ? (group()?.shown_id ?? '') : '');
  const label = () =>
    props.number === undefined ? t('open_tabs') : t('panes_tabs', { number: props.number });
  const dragged = () => {
    const drag = drags.drag();
    return drag?.kind === 'tab' ? drag.tab_id : undefined;
  };
  function onDrop(event: DragEvent): void {
    const tab_id = dragged();
    if (tab_id === undefined) return;
    event.preventDefault();
    panes.place(tab_id, props.group_id, undefined);
    wishFocus();
  }
  return (
    <Show when={own().length > 0} fallback={<span class="tab-strip" />}>
      {/* The handles activate tabs themselves: the widget also reports its own selections while tabs come and go. */}
      <Tabs
        class="tab-strip"
        value={shown()}
        activationMode="manual"
        onDragOver={(event: DragEvent) => dragged() !== undefined && event.preventDefault()}
        onDrop={onDrop}
      >
        <Tabs.List class="tab-list" aria-label={label()}>
          <For each={own()}>{(tab) => <TabHandle tab={tab} />}</For>
        </Tabs.List>
      </Tabs>
    </Show>
  );
}

function TabHandle(props: { tab: Tab }) {
  const { t } = useApp();
  const { tabs, statuses, drags } = useWorkspace();
  const spring = createSpring(() => {
    const drag = drags.drag();
    if (drag?.kind !== 'tab') tabs.activate(props.tab.id);
  });
  const label = () => labelOf(props.tab, tabs.list);
  const close = () => tabs.close(props.tab.id);
  let handle: HTMLElement | undefined;
  createEffect(() => {
    if (tabs.active()?.id === props.tab.id) handle?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Delete') close();
    else if (key === 'Enter' || key === ' ') tabs.activate(props.tab.id);
  };
  const tone = () => statuses[props.tab.id]?.tone ?? 'idle';
  return (
    <Tabs.Trigger
      ref={(element: HTMLElement) => {
        handle = element;
      }}
      class="tab"
      value={props.tab.id}
      id={`tab-${props.tab.id}`}
      aria-controls={`panel-${props.tab.id}`}
      aria-label={t(`${props.tab.kind}_tab`, { name: label() })}
      title={t('tab_hint', { name: label() })}
      draggable={true}
      onDragStart={(event: DragEvent) => drags.begin(event, { kind: 'tab', tab_id: props.tab.id })}
      onDragEnter={spring.onDragEnter}
      onDragLeave={spring.onDragLeave}
      onDragEnd={spring.onDragLeave}
      onClick={() => tabs.activate(props.tab.id)}
      onKeyDown={onKeyDown}
      onMouseDown={(event: MouseEvent) => event.button === 1 && event.preventDefault()}
      onAuxClick={(event: MouseEvent) => event.button === 1 && close()}
    >
      <span class={`tab-icon tone-${tone()}`} aria-hidden="true">
        <Dynamic component={TAB_ICONS[props.tab.kind]} size={15} />
      </span>
      <span class="tab-label">
        <span class="tab-name">{titleOf(props.tab)}</span>
        <span>{numberOf(props.tab, tabs.list)}</span>
      </span>
      <span
        class="tab-close"
        aria-hidden="true"
        onPointerDown={(event) => event.stopPropagation()}
        onMouseDown={(event) => event.stopPropagation()}
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
