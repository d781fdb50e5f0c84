import Bookmark from 'lucide-solid/icons/bookmark';
import X from 'lucide-solid/icons/x';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Dialog } from '../dialogs/dialog.tsx';
import { Field } from '../fields/field.tsx';
import { FormActions } from '../fields/form-actions.tsx';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../menu.tsx';
import { isEmpty } from './read.ts';
import { createSavedSearches } from './saved.ts';
import type { QueryState } from './state.ts';

const LONGEST_NAME = 80;

/** Clears the query, and keeps searches under a name. */
export function SavedSearches(props: { id: string; state: QueryState; onCleared: () => void }) {
  const { session, t } = useApp();
  const searches = createSavedSearches(session.user()?.id ?? 0, props.id);
  const [naming, setNaming] = createSignal(false);
  const { state } = props;
  const text = () => state.query().text;
  const is_empty = () => isEmpty(state.query());
  const current = () => searches.list().find((search) => search.text === text());
  return (
    <>
      <Show when={!is_empty()}>
        <button
          type="button"
          class="icon-button icon-button-small"
          aria-label={t('query_clear')}
          title={t('query_clear')}
          onClick={() => {
            state.clear();
            props.onCleared();
          }}
        >
          <X size={14} aria-hidden="true" />
        </button>
      </Show>
      <Menu
        label={t('query_saved')}
        icon={<Bookmark size={14} aria-hidden="true" fill={current() ? 'currentColor' : 'none'} />}
        class="icon-button icon-button-small"
      >
        <MenuGroup label={t('query_saved')}>
          <For
            each={searches.list()}
            fallback={<MenuItem label={t('query_none_saved')} disabled onSelect={() => undefined} />}
          >
            {(search) => (
              <MenuItem label={search.name} title={search.text} onSelect={() => state.replace(search.text)} />
            )}
          </For>
        </MenuGroup>
        <MenuSeparator />
        <MenuItem label={t('query_save')} disabled={is_empty()} later onSelect={() => setNaming(true)} />
        <Show when={current()}>
          {(search) => (
            <MenuItem
              label={t('query_unsave', { name: search().name })}
              danger
              onSelect={() => searches.remove(search().name)}
            />
          )}
        </Show>
      </Menu>
      <Show when={naming()}>
        <NameSearch
          text={text()}
          onSave={(name) => searches.save({ name, text: text() })}
          onClose={() => setNaming(false)}
        />
      </Show>
    </>
  );
}

function NameSearch(props: { text: string; onSave: (name: string) => void; onClose: () => void }) {
  const { t } = useApp();
  const [name, setName] = createSignal('');
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (name().trim() === '') return;
    props.onSave(name().trim());
    props.onClose();
  }
  return (
    <Dialog title={t('query_save_title')} onClose={props.onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <p class="dialog-lead">
          <code>{props.text}</code>
        </p>
        <Field
          label={t('name')}
          value={name()}
          onChange={setName}
          input={{ autocomplete: 'off', maxlength: LONGEST_NAME }}
        />
        <FormActions
          action={t('save')}
          busy={false}
          blocked={name().trim() === ''}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
