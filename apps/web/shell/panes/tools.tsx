import Columns2 from 'lucide-solid/icons/columns-2';
import EllipsisVertical from 'lucide-solid/icons/ellipsis-vertical';
import { Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { Menu, MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { TabItems } from '../tabs/menu.tsx';
import { labelOf, type Tab } from '../tabs/tabs.ts';
import { useWorkspace } from '../workspace.ts';
import './bar.css';

/** The end of a pane's row of controls: split, and a menu with what else can be done with the tab. */
export function PaneTools(props: { tab: Tab }) {
  const { t } = useApp();
  const { panes, tabs, wishFocus } = useWorkspace();
  const can_split = () => props.tab.kind !== 'recording';
  return (
    <div class="pane-tools">
      <Show when={can_split()}>
        <button
          type="button"
          class="pane-tool"
          aria-label={t('panes_split_right')}
          title={`${t('panes_split_right')} (Ctrl+Shift+E)`}
          onClick={() => panes.split('right', props.tab.id)}
        >
          <Columns2 size={15} aria-hidden="true" />
        </button>
      </Show>
      <Menu
        label={t('pane_menu', { name: labelOf(props.tab, tabs.list) })}
        icon={<EllipsisVertical size={16} aria-hidden="true" />}
        class="pane-tool pane-menu"
        onClosed={wishFocus}
      >
        <TabItems tab={props.tab} />
        <MenuSeparator />
        <MenuItem label={t('close_tab')} onSelect={() => tabs.close(props.tab.id)} />
      </Menu>
    </div>
  );
}
