import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { nameOf } from '../lib/paths.ts';
import { MenuItem } from '../parts/menu.tsx';
import type { TabPlace } from '../workspace/tabs/tabs.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { sameFileElsewhere } from './compare-elsewhere.ts';
import type { FileTab } from './file-tab.ts';

/** Compares two selected files, or one with a file chosen before, in any list. */
export function CompareItems(props: { files: FileTab; workspace: Workspace }) {
  const { t } = useApp();
  const { compared, setCompared, panes, tabs, show } = props.workspace;
  const chosen = (): readonly TabPlace[] => {
    const { server_id } = props.files;
    const server_name = props.files.server()?.name ?? '';
    const targets = props.files.targets();
    if (targets.some(({ is_dir, addressable }) => is_dir || !addressable)) return [];
    return targets.map(({ path }) => ({ server_id, server_name, path }));
  };
  const first = () => {
    const present = compared();
    const [only, ...others] = chosen();
    if (!present || !only || others.length > 0) return undefined;
    return present.server_id === only.server_id && present.path === only.path ? undefined : present;
  };
  function open(one: TabPlace, other: TabPlace): void {
    const opener = tabs.active()?.id ?? '';
    panes.openNextTo(opener, { kind: 'comparison', ...one, other });
    setCompared(undefined);
  }
  function openElsewhere(): void {
    const [only] = chosen();
    if (only) show(sameFileElsewhere(t, only, (other) => open(only, other)));
  }
  function choose(): void {
    const [only] = chosen();
    if (only) setCompared(only);
  }
  function openTwo(): void {
    const [one, other] = chosen();
    if (one && other) open(one, other);
  }
  return (
    <>
      <Show when={first()}>
        {(present) => (
          <MenuItem
            label={t('compare_with', { name: nameOf(present().path) })}
            onSelect={() => chosen().forEach((one) => void open(present(), one))}
          />
        )}
      </Show>
      <Show when={chosen().length === 1}>
        <MenuItem label={t('compare_elsewhere')} onSelect={openElsewhere} />
      </Show>
      <Show
        when={chosen().length === 2}
        fallback={
          <MenuItem
            label={t('compare_with_other')}
            why={chosen().length === 1 ? undefined : t('compare_why_files')}
            onSelect={choose}
          />
        }
      >
        <MenuItem label={t('compare_files')} onSelect={openTwo} />
      </Show>
    </>
  );
}
