import FolderOpen from 'lucide-solid/icons/folder-open';
import X from 'lucide-solid/icons/x';
import { createSignal, For, Match, Show, Switch } from 'solid-js';
import { useApp } from '../app/context.ts';
import { formatSize } from '../lib/format.ts';
import { shownName } from '../lib/hidden-characters.ts';
import { parentOf } from '../lib/paths.ts';
import { Name } from '../parts/name.tsx';
import { Trouble } from '../parts/trouble.tsx';
import type { FileTab } from './file-tab.ts';
import type { Entry } from './list/entries.ts';
import { EntryIcon } from './list/entry-icon.tsx';
import type { SearchState } from './search.ts';
import './search.css';

/** Search results below the current directory, shown instead of the list. */
export function FileSearchBox(props: { files: FileTab }) {
  const { t } = useApp();
  const [wanted, setWanted] = createSignal('');
  const is_searching = () => props.files.search().kind === 'searching';
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (wanted() !== '') void props.files.find(wanted());
  }
  return (
    <search>
      <form class="search-box" onSubmit={submit}>
        <input
          ref={(input) => queueMicrotask(() => input.focus())}
          class="field-input"
          type="search"
          aria-label={t('files_search_below', { path: props.files.path() })}
          placeholder={t('files_search_below', { path: props.files.path() })}
          maxlength={255}
          spellcheck={false}
          autocapitalize="none"
          value={wanted()}
          onInput={(event) => setWanted(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && props.files.closeSearch()}
        />
        <Show
          when={is_searching()}
          fallback={
            <button type="submit" class="button" disabled={wanted() === ''}>
              {t('search')}
            </button>
          }
        >
          <button type="button" class="button" onClick={props.files.cancelSearch}>
            {t('cancel')}
          </button>
        </Show>
        <button
          type="button"
          class="icon-button"
          aria-label={t('files_search_close')}
          title={t('files_search_close')}
          onClick={props.files.closeSearch}
        >
          <X size={16} aria-hidden="true" />
        </button>
      </form>
    </search>
  );
}

export function SearchResults(props: { files: FileTab }) {
  const { t } = useApp();
  const search = () => props.files.search();
  return (
    <section class="search-results" aria-label={t('files_search_results')}>
      <p class="search-said" role="status">
        {saidOf(search(), t)}
      </p>
      <Switch>
        <Match when={pick(search(), 'failed')}>
          {(failed) => (
            <Trouble title={t('files_search_failed', { path: props.files.path() })} error={failed().error}>
              <button type="button" class="button" onClick={() => void props.files.find(failed().wanted)}>
                {t('try_again')}
              </button>
            </Trouble>
          )}
        </Match>
        <Match when={pick(search(), 'found')}>
          {(found) => (
            <ul>
              <For each={found().entries}>{(entry) => <Found entry={entry} files={props.files} />}</For>
            </ul>
          )}
        </Match>
      </Switch>
    </section>
  );
}

function Found(props: { entry: Entry; files: FileTab }) {
  const { preferences, t } = useApp();
  const directory = () => parentOf(props.entry.path);
  return (
    <li class="found" classList={{ 'file-off': !props.entry.addressable }}>
      <EntryIcon entry={props.entry} />
      <button
        type="button"
        class="found-name"
        aria-disabled={!props.entry.addressable}
        title={props.entry.addressable ? shownName(props.entry.path) : t('not_addressable')}
        onClick={() => props.files.openEntry(props.entry)}
      >
        <span>
          <Name text={props.entry.name} />
        </span>{' '}
        <span class="found-path">
          <Name text={directory()} />
        </span>
      </button>
      <Show when={!props.entry.is_dir}>
        <span class="found-size">{formatSize(props.entry.size, preferences.values.language)}</span>
      </Show>
      <button
        type="button"
        class="icon-button icon-button-small"
        aria-label={t('files_show_in_directory', { name: props.entry.name })}
        title={t('files_show_in_directory', { name: props.entry.name })}
        onClick={() => props.files.goToEntry(props.entry.path)}
      >
        <FolderOpen size={15} aria-hidden="true" />
      </button>
    </li>
  );
}

function saidOf(search: SearchState, t: ReturnType<typeof useApp>['t']): string {
  switch (search.kind) {
    case 'searching':
      return t('files_searching', { wanted: search.wanted });
    case 'cancelled':
      return t('files_search_cancelled');
    case 'found':
      return foundText(search.entries.length, search.truncated, t);
    case 'ready':
    case 'failed':
      return '';
  }
}

function foundText(count: number, truncated: boolean, t: ReturnType<typeof useApp>['t']): string {
  if (truncated) return t('files_search_truncated', { count });
  return count === 0 ? t('files_search_nothing') : t('files_search_found', { count });
}

function pick<K extends SearchState['kind']>(state: SearchState, kind: K) {
  return isKind(state, kind) ? state : undefined;
}

function isKind<K extends SearchState['kind']>(
  state: SearchState,
  kind: K,
): state is Extract<SearchState, { kind: K }> {
  return state.kind === kind;
}
