import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Trouble } from '../../parts/trouble.tsx';
import type { TextSearch } from './search.ts';
import './search.css';

interface Props {
  readonly search: TextSearch;
  /** Enter begins the search. */
  readonly is_waiting: boolean;
  readonly onMore: (to: string) => void;
}

/** Shows the progress of the search in terminal output. */
export function SearchStatus(props: Props) {
  const { t } = useApp();
  const { search } = props;
  const state = () => (props.is_waiting ? undefined : search.state());
  return (
    <div>
      <Show when={search.error()}>
        <Trouble title={t('recordings_text_failed')} error={search.error()} compact />
      </Show>
      <Show when={props.is_waiting}>
        <p class="recording-search-state">{t('recordings_press_enter')}</p>
      </Show>
      <Show when={state()}>
        {(known) => (
          <p class="recording-search-state">
            <span role="status">
              <Show when={search.busy()}>
                <span class="spinner" aria-hidden="true" />{' '}
              </Show>
              {t('recordings_text_found', { count: known().found.length, searched: known().searched })}
              <Show when={(known().done?.skipped ?? 0) > 0}>
                {' '}
                {t('recordings_text_skipped', { count: known().done?.skipped ?? 0 })}
              </Show>
            </span>
            <Show when={search.busy()}>
              <button type="button" class="button button-small" onClick={() => search.stop()}>
                {t('stop')}
              </button>
            </Show>
            <Show when={known().done?.continue_to}>
              {(to) => (
                <button type="button" class="button button-small" onClick={() => props.onMore(to())}>
                  {t('recordings_text_more')}
                </button>
              )}
            </Show>
          </p>
        )}
      </Show>
    </div>
  );
}
