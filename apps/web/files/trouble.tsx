import { For, Show } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../app/context.ts';
import { Trouble } from '../parts/trouble.tsx';
import { usePaneHost } from '../workspace/panes/host.ts';
import type { FileTab } from './file-tab.ts';

/** Shows an error of an action that has no dialog. */
export function FailureNote(props: { files: Pick<FileTab, 'failure' | 'dismiss'> }) {
  const { t } = useApp();
  const { wishFocus } = usePaneHost();
  function dismiss(): void {
    props.files.dismiss();
    wishFocus(); // its button had the focus
  }
  return (
    <Show when={props.files.failure()}>
      {(failure) => (
        <Trouble title={failure().title} error={failure().error} compact>
          <Show when={failure().instead}>
            {(instead) => (
              <button type="button" class="button" onClick={() => instead().run()}>
                {instead().label}
              </button>
            )}
          </Show>
          <button type="button" class="button" onClick={dismiss}>
            {t('dismiss')}
          </button>
        </Trouble>
      )}
    </Show>
  );
}

const MOST_OFFERED = 5;

function isRefused(files: FileTab, code: string): boolean {
  const error = files.error();
  return error instanceof ClientError && error.code === code;
}

/** Offers the allowed directories when the gateway refuses one. */
function allowedInstead(files: FileTab): readonly string[] {
  return isRefused(files, 'path_outside_allowed')
    ? (files.server()?.sftp_allowed_paths ?? []).slice(0, MOST_OFFERED)
    : [];
}

/** Shown instead of the list. */
export function ListingTrouble(props: { files: FileTab }) {
  const { t } = useApp();
  function openFile(): void {
    const path = props.files.path();
    props.files.goToEntry(path);
    props.files.view(path);
  }
  return (
    <div class="files-trouble">
      <Trouble title={t('listing_failed', { path: props.files.path() })} error={props.files.error()}>
        <button type="button" class="button" data-takes-focus onClick={() => void props.files.refresh()}>
          {t('try_again')}
        </button>
        <For each={allowedInstead(props.files)}>
          {(path) => (
            <button type="button" class="button" onClick={() => props.files.go(path)}>
              {t('files_go_to', { path })}
            </button>
          )}
        </For>
        <Show when={isRefused(props.files, 'not_a_directory')}>
          <button type="button" class="button" onClick={openFile}>
            {t('files_open_file')}
          </button>
        </Show>
        <Show when={props.files.path() !== '/'}>
          <button type="button" class="button" onClick={props.files.goUp}>
            {t('parent_directory')}
          </button>
        </Show>
      </Trouble>
    </div>
  );
}
