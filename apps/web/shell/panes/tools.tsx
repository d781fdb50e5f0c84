import Columns2 from 'lucide-solid/icons/columns-2';
import EllipsisVertical from 'lucide-solid/icons/ellipsis-vertical';
import { type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { Menu, MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { splitActions } from '../../workspace/panes/split-actions.ts';
import { labelOf, type Tab } from '../../workspace/tabs/tabs.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { TabItems } from '../tabs/menu.tsx';
import '../../workspace/panes/bar.css';

/** The end of a pane's row of controls: split, and a menu with what else can be done with the tab. */
export function PaneTools(props: { tab: Tab; items?: (() => JSX.Element) | undefined }) {
  const { t } = useApp();
  const { panes, tabs, wishFocus } = useWorkspace();
  const whyNot = (key: TextKey | undefined) => key && t(key);
  const right = () => splitActions(panes, props.tab.id)[0];
  return (
    <div class="pane-tools">
      <Show when={right()}>
        {(split) => (
          <ReasonButton
            class="pane-tool"
            folds
            label={t(split().label)}
            title={`${t(split().label)} (${split().hint})`}
            why={whyNot(split().why)}
            onPress={split().run}
          >
            <Columns2 size={15} aria-hidden="true" />
          </ReasonButton>
        )}
      </Show>
      <Menu
        label={t('pane_menu', { name: labelOf(props.tab, tabs.list) })}
        icon={<EllipsisVertical size={16} aria-hidden="true" />}
        class="pane-tool pane-menu"
        onClosed={wishFocus}
      >
        <Show when={props.items}>
          {(items) => (
            <>
              {items()()}
              <MenuSeparator />
            </>
          )}
        </Show>
        <TabItems tab={props.tab} />
        <MenuSeparator />
        <MenuItem label={t('close_tab')} onSelect={() => tabs.close(props.tab.id)} />
      </Menu>
    </div>
  );
}
