import { createMemo, For, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useAgentPanels } from '../../agent/panels.ts';
import { useOpenTerminals } from '../../open-terminals/open-terminals.ts';
import { loadable } from '../../parts/loadable.tsx';
import { useFeatures, viewOf } from '../../workspace/features.ts';
import { placeOf } from '../../workspace/panes/layout.ts';
import { namesServer, type Tab } from '../../workspace/tabs/tabs.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { Home } from '../home/home.tsx';
import { PaneDivider } from '../panes/divider.tsx';
import { dividersOf } from '../panes/dividers.ts';
import { PaneFrame } from '../panes/frame.tsx';
import './area.css';
import '../../workspace/panes/bar.css';

const AgentPanel = loadable<{ tab: Tab }>(async () => (await import('../../agent/panel.tsx')).AgentPanel);
/** All tabs stay mounted and keep their place in the document, so that shells keep running. */
export function TabArea() {
  const { tabs, panes, screen } = useWorkspace();
  return (
    <>
      <For each={tabs.mounted}>{(tab) => <Panel tab={tab} />}</For>
      <Show when={tabs.active()}>
        <For each={panes.group_ids()}>{(id, at) => <PaneFrame group_id={id} number={at() + 1} />}</For>
        <Dividers />
      </Show>
      <Show when={!tabs.active() && !screen()}>
        <Home />
      </Show>
    </>
  );
}

function Dividers() {
  const { panes } = useWorkspace();
  const dividers = () => dividersOf(panes.layout());
  const count = () => dividers().length;
  return (
    <For each={Array.from({ length: count() }, (_, at) => at)}>
      {(at) => <Show when={dividers()[at]}>{(divider) => <PaneDivider divider={divider()} />}</Show>}
    </For>
  );
}

function Panel(props: { tab: Tab }) {
  const { tabs, panes } = useWorkspace();
  const { typing } = useOpenTerminals();
  const agent = useAgentPanels();
  const features = useFeatures();
  const is_lazy = props.tab.restored && props.tab.kind !== 'terminal' && props.tab.kind !== 'files';
  /** After a reload, a file or a recording is read when its tab is first shown. */
  const is_wanted = createMemo<boolean>((before) => before || !is_lazy || panes.isShown(props.tab.id), false);
  const is_active = () => tabs.active()?.id === props.tab.id;
  const is_single = () => panes.isSingle(panes.groupOf(props.tab.id)?.id);
  /** A click or Tab into another pane activates its tab. */
  const follow = () => panes.isShown(props.tab.id) && !is_active() && tabs.activate(props.tab.id, 'replace');
  const followPointer = () => {
    if (panes.isShown(props.tab.id)) typing.point(props.tab.kind === 'terminal' ? props.tab.id : undefined);
    follow();
  };
  return (
    <div
      role="tabpanel"
      class="panel"
      classList={{
        'panel-below-strip': panes.is_split() && !is_single(),
        'panel-beside-strip': is_single(),
        'panel-titled': is_single() && namesServer(props.tab),
        'panel-shared': agent.isOpen(props.tab.id),
      }}
      id={`panel-${props.tab.id}`}
      aria-labelledby={`tab-${props.tab.id}`}
      data-active={is_active() ? '' : undefined}
      hidden={!panes.isShown(props.tab.id)}
      style={placeOf(panes.box(panes.groupOf(props.tab.id)?.id))}
      onPointerDown={followPointer}
      onFocusIn={follow}
    >
      <div class="panel-main">
        <Show when={is_wanted()}>
          <Dynamic component={viewOf(features, props.tab.kind)} tab={props.tab} active={is_active()} />
        </Show>
      </div>
      <Show when={agent.isOpen(props.tab.id)}>
        <div class="panel-aside">
          <AgentPanel tab={props.tab} />
        </div>
      </Show>
    </div>
  );
}
