import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { MenuItem } from '../../parts/menu.tsx';
import type { Tab } from '../../workspace/tabs/tabs.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

/** Tells who changed the file of a tab. */
export function ChangesTabItem(props: { tab: Tab }) {
  const { t } = useApp();
  const { show } = useWorkspace();
  const file = () => {
    const { server_id, server_name, path } = props.tab;
    return { server_id, server_name, path };
  };
  return (
    <Show when={props.tab.kind === 'file' && !props.tab.is_new}>
      <MenuItem label={t('file_changes')} onSelect={() => show({ kind: 'file_changes', file: file() })} />
    </Show>
  );
}
