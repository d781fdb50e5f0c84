import { createSignal, For, Show } from 'solid-js';
import { type Schemas, take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { formatMoment, formatSize } from '../../lib/format.ts';
import { nameOf } from '../../lib/paths.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import type { TabPlace } from '../../workspace/tabs/tabs.ts';
import type { Closable } from '../../workspace/windows.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

type OldCopy = Schemas['OldCopy'];

interface Props extends Closable {
  readonly file: TabPlace;
  readonly copies: readonly OldCopy[];
  readonly onRestored: () => Promise<void>;
}

/** What an interrupted save has left: shown, compared with the file, or restored. */
export function OldCopies(props: Props) {
  const { client, preferences, t } = useApp();
  const { tabs, wishFocus } = useWorkspace();
  const [chosen, setChosen] = createSignal<OldCopy>();
  const timeOf = (copy: OldCopy) => formatMoment(copy.modified, preferences.values.language);
  const placeOf = ({ path }: OldCopy): TabPlace => ({ ...props.file, path });
  function open(tab: Parameters<typeof tabs.open>[0]): void {
    tabs.open(tab);
    props.onClose();
    wishFocus();
  }
  async function restore({ path: copy_path }: OldCopy): Promise<void> {
    const { server_id, path } = props.file;
    await take(
      client.http.POST('/api/files/{server_id}/restore', {
        params: { path: { server_id } },
        body: { path, copy_path },
      }),
    );
    await props.onRestored();
  }
  return (
    <Show when={props.copies.length > 0}>
      <div class="note note-warning file-copies">
        <p>{t('file_changes_copies')}</p>
        <ul>
          <For each={props.copies}>
            {(copy) => (
              <li class="file-copy">
                <span class="file-copy-name">
                  {t('file_changes_copy', {
                    size: formatSize(copy.size, preferences.values.language),
                    time: timeOf(copy),
                  })}
                </span>
                <button type="button" class="button" onClick={() => open({ kind: 'file', ...placeOf(copy) })}>
                  {t('file_changes_copy_show')}
                </button>
                <button
                  type="button"
                  class="button"
                  onClick={() => open({ kind: 'comparison', ...placeOf(copy), other: props.file })}
                >
                  {t('file_changes_compare')}
                </button>
                <button type="button" class="button" onClick={() => setChosen(copy)}>
                  {t('file_changes_restore')}
                </button>
              </li>
            )}
          </For>
        </ul>
      </div>
      <Show when={chosen()}>
        {(copy) => (
          <Confirm
            title={t('file_changes_restore_title')}
            text={t('file_changes_restore_text', { name: nameOf(props.file.path), time: timeOf(copy()) })}
            action={t('file_changes_restore_action')}
            failure={t('file_changes_restore_failed')}
            danger
            onConfirm={() => restore(copy())}
            onClose={() => setChosen(undefined)}
          />
        )}
      </Show>
    </Show>
  );
}
