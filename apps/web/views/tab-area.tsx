import { For, Match, Show, Switch } from 'solid-js';
import { loadable } from '../parts/loadable.tsx';
import type { Tab } from '../state/tabs.ts';
import { useWorkspace } from '../state/workspace.ts';
import { Welcome } from './welcome.tsx';

export interface PaneProps {
  readonly tab: Tab;
  readonly active: boolean;
}

const TerminalTab = loadable<PaneProps>(async () => (await import('./terminal-tab.tsx')).TerminalTab);
const FileBrowser = loadable<PaneProps>(async () => (await import('./file-browser.tsx')).FileBrowser);

/** All tabs stay mounted, so that shells run on and scroll positions stay. */
export function TabArea() {
  const { tabs, screen } = useWorkspace();
  const isActive = (tab: Tab) => tabs.active()?.id === tab.id;
  return (
    <>
      <For each={tabs.list}>
        {(tab) => (
          <div
            role="tabpanel"
            class="panel"
            id={`panel-${tab.id}`}
            aria-labelledby={`tab-${tab.id}`}
            hidden={!isActive(tab)}
          >
            <Switch>
              <Match when={tab.kind === 'terminal'}>
                <TerminalTab tab={tab} active={isActive(tab)} />
              </Match>
              <Match when={tab.kind === 'files'}>
                <FileBrowser tab={tab} active={isActive(tab)} />
              </Match>
            </Switch>
          </div>
        )}
      </For>
      <Show when={!tabs.active() && !screen()}>
        <Welcome />
      </Show>
    </>
  );
}
