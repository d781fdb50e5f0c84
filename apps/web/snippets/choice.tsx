import { useQuery } from '@tanstack/solid-query';
import { createSignal, For, Match, onMount, Show, Switch } from 'solid-js';
import { createStore } from 'solid-js/store';
import { useApp } from '../app/context.ts';
import { shownName } from '../lib/hidden-characters.ts';
import { rankAll, toCandidate, toWords } from '../lib/match/rank.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { SearchDialog } from '../parts/dialogs/search.tsx';
import { goToNextEmpty } from '../parts/fields/empty-fields.ts';
import { Field } from '../parts/fields/field.tsx';
import { FormActions } from '../parts/fields/form-actions.tsx';
import { Name } from '../parts/name.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useWorkspace } from '../workspace/workspace.ts';
import { fillSnippet, placeholdersOf, type Snippet, snippetsQuery } from './snippets.ts';
import './window.css';

const MOST_FOUND = 50;

interface Props {
  /** The command is always shown before it is sent. */
  readonly is_confirmed?: boolean;
  /** Only filled in. */
  readonly chosen?: Snippet | undefined;
  readonly onChosen: (snippet: Snippet, command: string) => void;
  readonly onClose: () => void;
}

/** Chooses a snippet, and fills it in. */
export function SnippetChoice(props: Props) {
  const [chosen, choose] = createSignal<Snippet>();
  function pick(snippet: Snippet): void {
    if (placeholdersOf(snippet.command).length > 0) choose(snippet);
    else props.onChosen(snippet, snippet.command);
  }
  onMount(() => props.chosen && pick(props.chosen));
  return (
    <Show when={chosen()} fallback={<SnippetPicker onPick={pick} onClose={props.onClose} />}>
      {(snippet) => (
        <SnippetBlanks
          snippet={snippet()}
          is_confirmed={props.is_confirmed === true || props.chosen !== undefined || snippet().confirm}
          onFilled={(command) => props.onChosen(snippet(), command)}
          onClose={props.onClose}
        />
      )}
    </Show>
  );
}

function SnippetPicker(props: { onPick: (snippet: Snippet) => void; onClose: () => void }) {
  const { client, t } = useApp();
  const snippets = useQuery(() => snippetsQuery(client));
  return (
    <SearchDialog
      title={t('snippet_send_one')}
      placeholder={t('snippet_search')}
      list_label={t('snippets')}
      find={(text) => findSnippets(text, snippets.data ?? [])}
      onChoose={props.onPick}
      onClose={props.onClose}
      empty={<NoSnippet query={snippets} onClose={props.onClose} />}
    >
      {(snippet) => (
        <>
          <span class="snippet-found">
            <Name text={snippet.name} />
            <Show when={!snippet.owned}>
              <span class="badge">{t('snippet_shared')}</span>
            </Show>
            <Show when={snippet.description}>
              <span class="snippet-about">{snippet.description}</span>
            </Show>
          </span>
          <code class="palette-hint">
            <Name text={snippet.command} />
          </code>
        </>
      )}
    </SearchDialog>
  );
}

function findSnippets(text: string, snippets: readonly Snippet[]): readonly Snippet[] {
  const words = toWords(text.split(/\s+/));
  if (words.joined === '') return snippets.slice(0, MOST_FOUND);
  const found = rankAll(words, snippets, ({ name, description, command }) =>
    toCandidate({ name, labels: [description], notes: [command] }),
  );
  return found.slice(0, MOST_FOUND).map(({ item }) => item);
}

interface NoneProps {
  readonly query: { readonly data: readonly Snippet[] | undefined; readonly error: unknown };
  readonly onClose: () => void;
}

/** Shown while there are no snippets, no matches, or they are loading or failed to load. */
function NoSnippet(props: NoneProps) {
  const { t } = useApp();
  const { goTo } = useWorkspace();
  function create(): void {
    props.onClose();
    goTo('/account/snippets?new=1');
  }
  return (
    <Switch fallback={t('loading')}>
      <Match when={props.query.data?.length}>{t('no_match')}</Match>
      <Match when={props.query.data}>
        <p>{t('snippets_none')}</p>
        <button type="button" class="button" onClick={create}>
          {t('snippet_create')}
        </button>
      </Match>
      <Match when={props.query.error}>
        <Trouble title={t('snippets_failed')} error={props.query.error} compact />
      </Match>
    </Switch>
  );
}

interface BlanksProps {
  readonly snippet: Snippet;
  readonly is_confirmed: boolean;
  readonly onFilled: (command: string) => void;
  readonly onClose: () => void;
}

/** Asks for each placeholder and previews the resulting command. */
function SnippetBlanks(props: BlanksProps) {
  const { t } = useApp();
  const names = () => placeholdersOf(props.snippet.command);
  const [values, update] = createStore<Record<string, string>>({});
  const shown = () => {
    const typed = Object.entries(values).filter(([, value]) => value !== '');
    return fillSnippet(props.snippet.command, Object.fromEntries(typed));
  };
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const all = Object.fromEntries(names().map((name) => [name, values[name] ?? '']));
    props.onFilled(fillSnippet(props.snippet.command, all));
  }
  return (
    <Dialog title={shownName(props.snippet.name)} sticky onClose={props.onClose}>
      <form class="dialog-form" onSubmit={submit} onKeyDown={goToNextEmpty}>
        <For each={names()}>
          {(name) => (
            <Field
              label={name}
              value={values[name] ?? ''}
              onChange={(value) => update({ [name]: value })}
              class="field-mono"
              input={{ autocomplete: 'off', autocapitalize: 'none' }}
            />
          )}
        </For>
        <pre class="paste-preview">{shown()}</pre>
        <FormActions
          action={t(props.is_confirmed ? 'snippet_go_on' : 'snippet_send')}
          busy={false}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
