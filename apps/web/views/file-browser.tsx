import { createEffect, Match, Show, Switch } from 'solid-js';
import { reasonOf, Trouble } from '../parts/trouble.tsx';
import { useApp } from '../state/app-context.ts';
import { createFileTab, type FileTab } from '../state/files.ts';
import { createPaneFocus } from '../state/pane-focus.ts';
import { useWorkspace } from '../state/workspace.ts';
import { FileBar } from './file-bar.tsx';
import { FileList } from './file-list.tsx';
import { FileSignIn } from './file-sign-in.tsx';
import { FileText } from './file-text.tsx';
import type { PaneProps } from './tab-area.tsx';
import './file-browser.css';

export function FileBrowser(props: PaneProps) {
  const app = useApp();
  const workspace = useWorkspace();
  const { t } = app;
  const { tab } = props;
  const files = createFileTab({ app, tab, onPath: (path) => workspace.tabs.setPath(tab.id, path) });
  let root: HTMLElement | undefined;
  const focus = () => root?.querySelector<HTMLElement>('[data-takes-focus]')?.focus();
  const takes_focus = () => {
    const news = [files.path(), files.pending(), files.error()]; // each puts something else on the screen
    return (
      props.active && news.length > 0 && (files.viewed() === undefined || files.sign_in_due() !== undefined)
    );
  };
  createPaneFocus(workspace, takes_focus, focus);
  createEffect(() => {
    const error = files.error() ?? files.failure()?.error;
    if (files.sign_in_due()) workspace.setStatus(tab.id, { text: 'state_asked', tone: 'busy' });
    else if (files.loading()) workspace.setStatus(tab.id, { text: 'state_loading', tone: 'busy' });
    else if (error)
      workspace.setStatus(tab.id, { text: 'state_failed', tone: 'bad', note: reasonOf(error, t) });
    else workspace.setStatus(tab.id, { text: 'state_listed', tone: 'good' });
  });

  return (
    <section class="files" aria-label={t('files_of', { name: tab.server_name })} ref={root}>
      <FileBar files={files} />
      <Show when={files.failure()}>
        {(failure) => (
          <Trouble title={failure().title} error={failure().error} compact>
            <button type="button" class="button" onClick={files.dismiss}>
              {t('dismiss')}
            </button>
          </Trouble>
        )}
      </Show>
      <Switch>
        <Match when={files.sign_in_due()}>
          {(refusal) => <FileSignIn files={files} refusal={refusal()} />}
        </Match>
        <Match when={files.viewed()} keyed>
          {(path) => <FileText server_id={tab.server_id} path={path} files={files} />}
        </Match>
        <Match when={files.error()}>
          <ListingTrouble files={files} />
        </Match>
        <Match when={true}>
          <FileList files={files} active={props.active} />
        </Match>
      </Switch>
    </section>
  );
}

function ListingTrouble(props: { files: FileTab }) {
  const { t } = useApp();
  return (
    <div class="files-trouble">
      <Trouble title={t('listing_failed', { path: props.files.path() })} error={props.files.error()}>
        <button type="button" class="button" data-takes-focus onClick={() => void props.files.refresh()}>
          {t('try_again')}
        </button>
        <Show when={props.files.path() !== '/'}>
          <button type="button" class="button" onClick={props.files.goUp}>
            {t('parent_directory')}
          </button>
        </Show>
      </Trouble>
    </div>
  );
}
