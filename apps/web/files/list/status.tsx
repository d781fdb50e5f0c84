import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatSize } from '../../lib/format.ts';
import { Said } from '../../parts/name.tsx';
import type { FileTab } from '../file-tab.ts';
import { totalSize } from './selection.ts';

/** The line below the list: counts, sizes and the latest note. */
export function FileStatus(props: { files: FileTab }) {
  const { preferences, t } = useApp();
  const chosen = () => props.files.selected();
  const size = () => formatSize(totalSize(chosen()), preferences.values.language);
  const has_directories = () => chosen().some(({ is_dir }) => is_dir);
  return (
    <div class="file-count">
      <span>
        <Show when={!props.files.pending()} fallback={t('loading')}>
          {t('entry_count', { count: props.files.entries().length })}
        </Show>
        <Show when={props.files.hidden_count() > 0}>
          {' · '}
          {t('hidden_count', { count: props.files.hidden_count() })}
        </Show>
      </span>
      <Show when={chosen().length > 0}>
        <span class="file-chosen" role="status">
          {t(has_directories() ? 'files_chosen_directories' : 'files_chosen', {
            count: chosen().length,
            size: size(),
          })}
        </span>
      </Show>
      <span class="file-note" role="status">
        <Said text={props.files.note().text} />
      </span>
      <Show when={props.files.note().action}>
        {(action) => (
          <button type="button" class="file-undo" onClick={() => action().run()}>
            {action().label}
          </button>
        )}
      </Show>
    </div>
  );
}
