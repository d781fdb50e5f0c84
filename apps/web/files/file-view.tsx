import { createEffect, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { useUnsaved } from '../editor/unsaved/unsaved.ts';
import { parentOf } from '../lib/paths.ts';
import { createPaneFocus } from '../shell/panes/focus.ts';
import { PaneTools } from '../shell/panes/tools.tsx';
import type { PaneProps, Tab } from '../shell/tabs/tabs.ts';
import { useWorkspace, type Workspace } from '../shell/workspace.ts';
import { createOpenFile, type OpenFile } from './open-file.ts';
import { FileSignIn } from './sign-in-view.tsx';
import { FailureNote } from './trouble.tsx';
import { FileViewer } from './viewer/viewer.tsx';
import './browser.css';

/** One file in its own tab. It keeps its unsaved text while the sign-in form is shown. */
export function FileView(props: PaneProps) {
  const app = useApp();
  const { t } = app;
  const workspace = useWorkspace();
  const { tab } = props;
  const files = createOpenFile({
    app,
    tab,
    showList: () => showList(workspace, tab),
    close: () => workspace.tabs.close(tab.id),
    tools: () => <PaneTools tab={tab} />,
  });
  const is_asked = () => files.sign_in_due() !== undefined;
  let root: HTMLElement | undefined;
  const focus = () => root?.querySelector<HTMLElement>('[data-takes-focus]')?.focus();
  createPaneFocus(
    workspace,
    () => props.active && is_asked(),
    focus,
    () => root,
  );
  reportStatus(tab, files);
  return (
    <section class="files" aria-label={t('file_of', { path: tab.path, name: tab.server_name })} ref={root}>
      <FailureNote files={files} />
      <Show when={files.sign_in_due()}>{(refusal) => <FileSignIn files={files} refusal={refusal()} />}</Show>
      <div class="files-viewer" hidden={is_asked()}>
        <FileViewer
          tab={tab}
          files={files}
          path={tab.path}
          is_new={tab.is_new === true}
          active={props.active && !is_asked()}
        />
      </div>
    </section>
  );
}

function reportStatus(tab: Tab, files: OpenFile): void {
  const workspace = useWorkspace();
  const unsaved = useUnsaved();
  createEffect(() => {
    if (files.sign_in_due()) workspace.setStatus(tab.id, { text: 'state_asked', tone: 'busy' });
    else if (unsaved.isDirty(tab.id)) workspace.setStatus(tab.id, { text: 'editor_unsaved', tone: 'busy' });
    else workspace.setStatus(tab.id, { text: 'state_listed', tone: 'good' });
  });
}

/** The list that the file was opened from, or else one that shows its directory. */
function showList({ tabs, panes }: Workspace, { id, server_id, server_name, path, opener_id }: Tab): void {
  const directory = parentOf(path);
  const lists = tabs.list.filter((tab) => tab.kind === 'files' && tab.server_id === server_id);
  const list = lists.find((tab) => tab.id === opener_id) ?? lists.find((tab) => tab.path === directory);
  if (list) tabs.activate(list.id);
  else panes.openNextTo(id, { kind: 'files', server_id, server_name, path: directory });
}
