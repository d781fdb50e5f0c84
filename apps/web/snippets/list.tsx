import { useQuery } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { SnippetForm } from './form.tsx';
import { createSnippetRefresh, mayEdit, removeSnippet, type Snippet, snippetsQuery } from './snippets.ts';
import './window.css';

/** Lists the user's snippets and the shared ones. */
export function AccountSnippets() {
  const { client, t } = useApp();
  const snippets = useQuery(() => snippetsQuery(client));
  const refresh = createSnippetRefresh(client);
  const [editing, edit] = createSignal<{ readonly snippet: Snippet | undefined }>();
  const [deleting, setDeleting] = createSignal<Snippet>();
  const why = useReadOnlyReason();

  async function remove(snippet: Snippet): Promise<void> {
    await removeSnippet(client, snippet);
    await refresh();
  }

  return (
    <section class="section" aria-labelledby="snippets-title">
      <div class="section-head">
        <h3 class="section-title" id="snippets-title">
          {t('snippets')}
        </h3>
        <ReasonButton class="button button-primary" why={why()} onPress={() => edit({ snippet: undefined })}>
          <Plus size={16} aria-hidden="true" /> {t('snippet_create')}
        </ReasonButton>
      </div>
      <ReadOnlyNote />
      <p class="section-lead">{t('snippets_lead')}</p>
      <QueryState query={snippets} failure={t('snippets_failed')}>
        {(known) => (
          <Show when={known().length > 0} fallback={<p class="empty">{t('snippets_empty')}</p>}>
            <ul class="rows" aria-label={t('snippets')}>
              <For each={known()}>
                {(snippet) => (
                  <SnippetRow
                    snippet={snippet}
                    onEdit={() => edit({ snippet })}
                    onDelete={() => setDeleting(snippet)}
                  />
                )}
              </For>
            </ul>
          </Show>
        )}
      </QueryState>
      <Show when={editing()}>
        {(present) => (
          <SnippetForm snippet={present().snippet} onSaved={refresh} onClose={() => edit(undefined)} />
        )}
      </Show>
      <Show when={deleting()}>
        {(snippet) => (
          <Confirm
            title={t('delete_of', { name: snippet().name })}
            text={t(snippet().shared ? 'snippet_delete_shared' : 'snippet_delete_text')}
            action={t('delete')}
            failure={t('snippet_not_deleted')}
            danger
            onConfirm={() => remove(snippet())}
            onClose={() => setDeleting(undefined)}
          />
        )}
      </Show>
    </section>
  );
}

interface RowProps {
  readonly snippet: Snippet;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function SnippetRow(props: RowProps) {
  const { session, t } = useApp();
  const why_fixed = useReadOnlyReason();
  const name = () => props.snippet.name;
  const why = () =>
    why_fixed() ?? (mayEdit(props.snippet, session.user()) ? undefined : t('snippet_not_own'));
  return (
    <li class="row">
      <div class="row-text">
        <p class="row-name">
          {name()}
          <Show when={props.snippet.shared}>
            <span class="badge">{t('snippet_shared')}</span>
          </Show>
          <Show when={props.snippet.confirm}>
            <span class="badge">{t('snippet_asks')}</span>
          </Show>
        </p>
        <Show when={props.snippet.description}>
          <p class="row-facts">{props.snippet.description}</p>
        </Show>
        <pre class="snippet-command">{props.snippet.command}</pre>
      </div>
      <div class="row-actions">
        <ReasonButton label={t('edit_of', { name: name() })} why={why()} onPress={() => props.onEdit()}>
          {t('edit')}
        </ReasonButton>
        <ReasonButton
          label={t('delete_named', { name: name() })}
          why={why()}
          onPress={() => props.onDelete()}
        >
          {t('delete')}
        </ReasonButton>
      </div>
    </li>
  );
}
