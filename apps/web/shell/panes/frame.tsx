import { createSignal, Show } from 'solid-js';
import { useAgentPanels } from '../../agent/panels.ts';
import { useApp } from '../../app/context.ts';
import { placeOf } from '../../workspace/panes/layout.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { TabStrip } from '../tabs/strip.tsx';
import { edgeAt } from './dividers.ts';

type Place = ReturnType<typeof edgeAt>;

/** The frame of a pane: its own tab strip when the area is split, and a drop area for dragged tabs. */
export function PaneFrame(props: { group_id: string; number: number }) {
  const { panes, tabs, drags } = useWorkspace();
  const agent = useAgentPanels();
  const is_shared = () => agent.isOpen(panes.group(props.group_id)?.shown_id ?? '');
  const is_focused = () => panes.groupOf(tabs.active()?.id ?? '')?.id === props.group_id;
  return (
    <>
      <Show when={panes.is_split()}>
        <div
          class="pane-strip"
          classList={{
            'pane-focused': is_focused(),
            'pane-strip-single': panes.isSingle(props.group_id),
            'pane-strip-shared': is_shared(),
          }}
          style={placeOf(panes.box(props.group_id))}
        >
          <TabStrip group_id={props.group_id} number={props.number} />
        </div>
      </Show>
      <Show when={drags.drag()?.kind === 'tab'}>
        <DropArea group_id={props.group_id} />
      </Show>
    </>
  );
}

function DropArea(props: { group_id: string }) {
  const { t } = useApp();
  const { panes, drags, wishFocus } = useWorkspace();
  const [edge, setEdge] = createSignal<Place | 'none'>('none');
  function onDragOver(event: DragEvent & { currentTarget: HTMLElement }): void {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    setEdge(edgeAt((event.clientX - left) / width, (event.clientY - top) / height));
    event.preventDefault();
  }
  function onDrop(event: DragEvent): void {
    const drag = drags.drag();
    const at = edge();
    event.preventDefault();
    if (drag?.kind !== 'tab' || at === 'none') return;
    panes.place(drag.tab_id, props.group_id, at);
    wishFocus(); // the dragged tab's handle has the focus
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the mouse; by keyboard Ctrl+Shift+E and D split
    <div
      class="panel pane-drop"
      classList={{ 'panel-below-strip': panes.is_split() && !panes.isSingle(props.group_id) }}
      style={placeOf(panes.box(props.group_id))}
      onDragOver={onDragOver}
      onDragLeave={() => setEdge('none')}
      onDrop={onDrop}
    >
      <Show when={edge() !== 'none'}>
        <span class={`pane-target pane-target-${edge() ?? 'here'}`}>
          {t(edge() === undefined ? 'panes_drop_here' : 'panes_drop_edge')}
        </span>
      </Show>
    </div>
  );
}
