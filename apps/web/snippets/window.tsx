import { useQuery } from '@tanstack/solid-query';
import { createSignal, For, Match, Show, Switch } from 'solid-js';
import { createStore } from 'solid-js/store';
import { useApp } from '../app/context.ts';
import { shownName } from '../lib/hidden-characters.ts';
import { rankAll, toCandidate, toWords } from '../lib/match/rank.ts';
import { useOpenTerminals, useTerminalLabel } from '../open-terminals/open-terminals.ts';
import type { TerminalHandle } from '../open-terminals/terminals.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { SearchDialog } from '../parts/dialogs/search.tsx';
import { goToNextEmpty } from '../parts/fields/empty-fields.ts';
import { Field } from '../parts/fields/field.tsx';
import { FormActions } from '../parts/fields/form-actions.tsx';
import { Name } from '../parts/name.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useWorkspace } from '../workspace/workspace.ts';
import { fillSnippet, keysOf, placeholdersOf, type Snippet, snippetsQuery } from './snippets.ts';
import './window.css';

const MOST_FOUND = 50;

interface Props {
  readonly handle: TerminalHandle;
  readonly onClose: () => void;
}

/** Sends a snippet to a terminal: choose, fill in, confirm if required, send. */
export function SnippetWindow(props: Props) {
  const { broadcast } = useOpenTerminals();
  const [chosen, choose] = createSignal<Snippet>();
  const [final, setFinal] = createSignal<{ readonly snippet: Snippet; readonly command: string }>();

  function send(command: string): void {
    props.onClose();
    broadcast.send(props.handle, keysOf(command));
  }
  function settle(snippet: Snippet, command: string): void {
    if (snippet.confirm) setFinal({ snippet, command });
    else send(command);
  }
  function pick(snippet: Snippet): void {
    if (placeholdersOf(snippet.command).length > 0) choose(snippet);
    else settle(snippet, snippet.command);
  }

  return (
    <Switch fallback={<SnippetPicker onPick={pick} onClose={props.onClose} />}>
      <Match when={final()}>
        {(ready) => (
          <SnippetConfirm
            handle={props.handle}
            name={ready().snippet.name}
            command={ready().command}
            onConfirm={() => send(ready().command)}
            onClose={props.onClose}
          />
        )}
      </Match>
      <Match when={chosen()}>
        {(snippet) => (
          <SnippetBlanks
            snippet={snippet()}
            onFilled={(command) => settle(snippet(), command)}
            onClose={props.onClose}
          />
        )}
      </Match>
    </Switch>
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
          <code class="palette-hint">{snippet.command}</code>
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
  function manage(): void {
    props.onClose();
    goTo('/account/snippets');
  }
  return (
    <Switch fallback={t('loading')}>
      <Match when={props.query.data?.length}>{t('no_match')}</Match>
      <Match when={props.query.data}>
        <p>{t('snippets_none')}</p>
        <button type="button" class="button" onClick={manage}>
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
          action={t(props.snippet.confirm ? 'snippet_go_on' : 'snippet_send')}
          busy={false}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}

interface ConfirmProps {
  readonly handle: TerminalHandle;
  readonly name: string;
  readonly command: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function SnippetConfirm(props: ConfirmProps) {
  const { t } = useApp();
  const { broadcast } = useOpenTerminals();
  const members = () => (broadcast.has(props.handle.tab_id) ? broadcast.members() : [props.handle]);
  const labelOf = useTerminalLabel();
  const names = () => members().map(labelOf);
  const text = () =>
    names().length > 1
      ? t('snippet_confirm_many', { count: names().length, names: names().join(', ') })
      : t('snippet_confirm_text', { name: names()[0] ?? '' });
  return (
    <Confirm
      title={t('snippet_confirm_title', { name: props.name })}
      text={text()}
      action={t('snippet_send')}
      onConfirm={props.onConfirm}
      onClose={props.onClose}
    >
      <pre class="paste-preview">{props.command}</pre>
    </Confirm>
  );
}
