import { useQuery } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { followAskedNew } from '../parts/asked-new.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';
import { SnippetForm } from './form.tsx';
import { createSnippetRefresh, removeSnippet, type Snippet, snippetsQuery } from './snippets.ts';
import { SnippetTable } from './table.tsx';
import './window.css';

/** Lists the user's snippets and the shared ones. */
export function AccountSnippets() {
  const { client, t } = useApp();
  const snippets = useQuery(() => snippetsQuery(client));
  const refresh = createSnippetRefresh(client);
  const [editing, edit] = createSignal<{ readonly snippet: Snippet | undefined }>();
  const [deleting, setDeleting] = createSignal<Snippet>();
  const why = useReadOnlyReason();
  followAskedNew(() => edit({ snippet: undefined }));

  async function remove(snippet: Snippet): Promise<void> {
    await removeSnippet(client, snippet);
    await refresh();
  }

  return (
    <section class="section section-wide" aria-labelledby="snippets-title">
      <div class="section-head">
        <SectionTitle id="snippets-title" text={t('snippets')} />
        <ReasonButton class="button button-primary" why={why()} onPress={() => edit({ snippet: undefined })}>
          <Plus size={16} aria-hidden="true" /> {t('snippet_create')}
        </ReasonButton>
      </div>
      <ReadOnlyNote />
      <p class="section-lead">{t('snippets_lead')}</p>
      <QueryState query={snippets} failure={t('snippets_failed')}>
        {(known) => (
          <SnippetTable
            snippets={known()}
            onEdit={(snippet) => edit({ snippet })}
            onDelete={setDeleting}
            onChanged={refresh}
          />
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
