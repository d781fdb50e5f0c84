import { createEffect, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { createOpenFile, type OpenFile } from '../files/open-file.ts';
import { FileSignIn } from '../files/sign-in-view.tsx';
import { FailureNote } from '../files/trouble.tsx';
import { createPaneFocus } from '../workspace/panes/focus.ts';
import { usePaneHost } from '../workspace/panes/host.ts';
import type { PaneProps, Tab } from '../workspace/tabs/tabs.ts';
import { useUnsaved } from '../workspace/unsaved/unsaved.ts';
import { FileViewer } from './viewer.tsx';
import '../files/browser.css';

/** One file in its own tab. It keeps its unsaved text while the sign-in form is shown. */
export function FileView(props: PaneProps) {
  const app = useApp();
  const { t } = app;
  const host = usePaneHost();
  const { tab } = props;
  const files = createOpenFile({
    app,
    tab,
    showList: () => host.showList(tab),
    close: () => host.close(tab.id),
    offer: (commands) => host.workspace?.commands.offer(tab.id, commands),
    tools: (items) => host.tools(tab, items),
  });
  const is_asked = () => files.sign_in_due() !== undefined;
  let root: HTMLElement | undefined;
  const focus = () => root?.querySelector<HTMLElement>('[data-takes-focus]')?.focus();
  createPaneFocus(
    host,
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
  const host = usePaneHost();
  const unsaved = useUnsaved();
  createEffect(() => {
    if (files.sign_in_due()) host.setStatus(tab.id, { text: 'state_asked', tone: 'busy' });
    else if (unsaved.isDirty(tab.id)) host.setStatus(tab.id, { text: 'editor_unsaved', tone: 'busy' });
    else host.setStatus(tab.id, { text: 'state_listed', tone: 'good' });
  });
}
