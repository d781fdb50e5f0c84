import { For, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { sameFileElsewhere } from '../files/compare-elsewhere.ts';
import { nameOf } from '../lib/paths.ts';
import { MenuItem, MenuSeparator } from '../parts/menu.tsx';
import { labelOf, type Tab, type TabPlace } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';

const MOST_OFFERED = 6;

/** Compares an open file with another open one, with the file that was chosen before, or with one still to be chosen. */
export function CompareTabItems(props: { tab: Tab }) {
  const { t } = useApp();
  const { tabs, panes, compared, setCompared, show } = useWorkspace();
  const own = () => placeOf(props.tab);
  const isOwn = (place: TabPlace) => isSame(place, own());
  const open_files = () =>
    tabs.list
      .filter((tab) => tab.kind === 'file' && !isOwn(tab))
      .slice(0, MOST_OFFERED)
      .map((tab) => ({ name: labelOf(tab, tabs.list), place: placeOf(tab) }));
  const others = () => {
    const chosen = compared();
    const offered = open_files();
    if (!chosen || isOwn(chosen) || offered.some(({ place }) => isSame(place, chosen))) return offered;
    return [{ name: nameOf(chosen.path), place: chosen }, ...offered];
  };
  function openFrom(tab_id: string, one: TabPlace, other: TabPlace): void {
    panes.openNextTo(tab_id, { kind: 'comparison', ...one, other });
  }
  function compare(place: TabPlace): void {
    openFrom(props.tab.id, place, own());
    setCompared(undefined);
  }
  return (
    <Show when={props.tab.kind === 'file' && !props.tab.is_new}>
      <MenuSeparator />
      <For each={others()}>
        {({ name, place }) => (
          <MenuItem label={t('compare_with', { name })} later onSelect={() => compare(place)} />
        )}
      </For>
      <MenuItem
        label={t('compare_elsewhere')}
        onSelect={() => show(sameFileElsewhere(t, own(), (other) => openFrom(props.tab.id, own(), other)))}
      />
      <MenuItem label={t('compare_with_other')} onSelect={() => setCompared(own())} />
    </Show>
  );
}

function placeOf({ server_id, server_name, path }: TabPlace): TabPlace {
  return { server_id, server_name, path };
}

function isSame(one: TabPlace, other: TabPlace): boolean {
  return one.server_id === other.server_id && one.path === other.path;
}
