import { For, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../../app/context.ts';
import { MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { useFeatures } from '../../workspace/features.ts';
import { splitActions } from '../../workspace/panes/split-actions.ts';
import { tileActions } from '../../workspace/panes/tile-actions.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

/** The context menu of a tab, or of the strip where no tab was pressed. */
export function TabMenu(props: { tab: Tab | undefined; group_id: string }) {
  const { t } = useApp();
  const { tabs } = useWorkspace();
  return (
    <>
      <Show when={props.tab}>
        {(tab) => (
          <>
            <TabItems tab={tab()} />
            <PlaceItems tab={tab()} group_id={props.group_id} />
            <CloseItems tab={tab()} group_id={props.group_id} />
          </>
        )}
      </Show>
      <MenuItem
        label={t('tab_reopen')}
        hint="Ctrl+Shift+T"
        disabled={!tabs.can_reopen()}
        onSelect={tabs.reopen}
      />
    </>
  );
}

interface Props {
  readonly tab: Tab;
  readonly group_id: string;
}

export function TabItems(props: Pick<Props, 'tab'>) {
  const { t } = useApp();
  const { panes, show } = useWorkspace();
  const features = useFeatures();
  const is_single = () => props.tab.kind !== 'terminal' && props.tab.kind !== 'files';
  return (
    <>
      <MenuItem
        label={t('tab_rename')}
        hint="F2"
        onSelect={() => show({ kind: 'rename_tab', tab_id: props.tab.id })}
      />
      <Show when={!is_single()}>
        <MenuItem label={t('tab_duplicate')} later onSelect={() => panes.duplicate(props.tab.id)} />
      </Show>
      <For each={splitActions(panes, props.tab.id)}>
        {({ label, hint, why, run }) => (
          <MenuItem label={t(label)} hint={hint} why={why && t(why)} later onSelect={run} />
        )}
      </For>
      <For each={tileActions(panes)}>{({ label, run }) => <MenuItem label={t(label)} onSelect={run} />}</For>
      <For each={features}>
        {({ TabItems: Items }) => (
          <Show when={Items}>{(items) => <Dynamic component={items()} tab={props.tab} />}</Show>
        )}
      </For>
    </>
  );
}

/** Moves the tab to another pane. */
function PlaceItems(props: Props) {
  const { t } = useApp();
  const { panes } = useWorkspace();
  const others = () =>
    panes
      .group_ids()
      .map((id, at) => ({ id, number: at + 1 }))
      .filter(({ id }) => id !== props.group_id);
  const is_alone = () => (panes.group(props.group_id)?.tab_ids.length ?? 0) < 2;
  return (
    <>
      <MenuSeparator />
      <For each={others()}>
        {({ id, number }) => (
          <MenuItem
            label={t('tab_move', { number })}
            onSelect={() => panes.place(props.tab.id, id, undefined)}
          />
        )}
      </For>
      <Show when={panes.splitWay(props.tab.id) === 'another'}>
        <MenuItem
          label={t('tab_move_new')}
          disabled={is_alone()}
          onSelect={() => panes.place(props.tab.id, props.group_id, 'right')}
        />
      </Show>
    </>
  );
}

function CloseItems(props: Props) {
  const { t } = useApp();
  const { tabs, panes } = useWorkspace();
  const ids = () => panes.group(props.group_id)?.tab_ids ?? [];
  const others = () => ids().filter((id) => id !== props.tab.id);
  const right = () => ids().slice(ids().indexOf(props.tab.id) + 1);
  return (
    <>
      <MenuSeparator />
      <MenuItem label={t('close_tab')} hint="Del" onSelect={() => tabs.close(props.tab.id)} />
      <MenuItem
        label={t('tab_close_others')}
        disabled={others().length === 0}
        onSelect={() => tabs.closeAll(others())}
      />
      <MenuItem
        label={t('tab_close_right')}
        disabled={right().length === 0}
        onSelect={() => tabs.closeAll(right())}
      />
    </>
  );
}
