import { Tabs } from '@kobalte/core/tabs';
import FolderOpen from 'lucide-solid/icons/folder-open';
import SquareTerminal from 'lucide-solid/icons/square-terminal';
import X from 'lucide-solid/icons/x';
import { createEffect, For, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import { labelOf, type Tab } from '../state/tabs.ts';
import { useWorkspace } from '../state/workspace.ts';
import './tab-strip.css';

/** The row of open tabs. The crosses are for the mouse; by keyboard Delete closes a tab, and so does the palette. */
export function TabStrip() {
  const { t } = useApp();
  const { tabs } = useWorkspace();
  return (
    <Show when={tabs.list.length > 0} fallback={<span class="tab-strip" />}>
      {/* The handles activate themselves: the widget also reports choices of its own while tabs come and go. */}
      <Tabs class="tab-strip" value={tabs.active()?.id ?? ''} activationMode="manual">
        <Tabs.List class="tab-list" aria-label={t('open_tabs')}>
          <For each={tabs.list}>{(tab) => <TabHandle tab={tab} />}</For>
        </Tabs.List>
      </Tabs>
    </Show>
  );
}

function TabHandle(props: { tab: Tab }) {
  const { t } = useApp();
  const { tabs, statuses } = useWorkspace();
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
      aria-label={t(props.tab.kind === 'terminal' ? 'terminal_tab' : 'files_tab', { name: label() })}
      title={t('tab_hint', { name: label() })}
      onClick={() => tabs.activate(props.tab.id)}
      onKeyDown={onKeyDown}
      onMouseDown={(event: MouseEvent) => event.button === 1 && event.preventDefault()}
      onAuxClick={(event: MouseEvent) => event.button === 1 && close()}
    >
      <span class={`tab-icon tone-${tone()}`} aria-hidden="true">
        <Show when={props.tab.kind === 'terminal'} fallback={<FolderOpen size={15} />}>
          <SquareTerminal size={15} />
        </Show>
      </span>
      <span class="tab-name">{label()}</span>
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
