import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { type Entry, listingQuery } from '../../files/list/entries.ts';
import { copyAsRoot, terminalHindrance } from '../../files/terminal-here.ts';
import type { KindProps } from '../../files/viewer/props.ts';
import { nameOf, parentOf } from '../../lib/paths.ts';
import { saveFile } from '../../lib/save-file.ts';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { usePaneHost } from '../../workspace/panes/host.ts';
import type { Editing } from '../editing.ts';

interface Props extends KindProps {
  readonly editing: Editing;
}

/** What can be done with changes to a file that the account on the host may not write. */
export function LockedFile(props: Props) {
  const { t } = useApp();
  const host = usePaneHost();
  const { document, elsewhere } = props.editing;
  const refusal = createRefusal(props);
  const [copied_to, setCopiedTo] = createSignal<string>();
  /** The host chooses the home directory: it must be shown as it is, too. */
  const why_no_prompt = () => {
    const server = props.files.server();
    const key = terminalHindrance(props.path, server) ?? terminalHindrance(copied_to() ?? '', server);
    return key && t(key);
  };
  const whereSaved = () => {
    const saved = elsewhere.saved();
    if (!saved) return t('editor_locked_text');
    const { path, is_older } = saved;
    if (!is_older) return t('editor_elsewhere_saved', { path });
    return `${t('editor_elsewhere_older', { path })} ${t('editor_locked_text')}`;
  };
  async function putAtPrompt(): Promise<void> {
    const copy = await elsewhere.saveAtHome();
    if (copy === undefined) return;
    setCopiedTo(copy);
    if (why_no_prompt() === undefined) host.openTerminal?.(props.tab, copyAsRoot(copy, props.path));
  }
  return (
    <div class="note note-warning editor-notice" role="alert">
      <p class="editor-notice-text">
        <strong>{refusal()}</strong> {whereSaved()}
      </p>
      <div class="actions">
        <button type="button" class="button button-primary" onClick={elsewhere.ask}>
          {t('editor_elsewhere')}
        </button>
        <Show when={host.openTerminal}>
          <ReasonButton
            class="button"
            why={why_no_prompt()}
            busy={elsewhere.attempt.busy()}
            onPress={() => void putAtPrompt()}
          >
            {t('editor_sudo')}
          </ReasonButton>
        </Show>
        <button
          type="button"
          class="button"
          onClick={() => saveFile(nameOf(props.path), new Blob([document.content()]))}
        >
          {t('editor_copy_here')}
        </button>
        <button type="button" class="button" onClick={() => void props.editing.save(document.basis())}>
          {t('try_again')}
        </button>
      </div>
    </div>
  );
}

/** "deploy may not write nginx.conf (root, rw-r--r--)." */
function createRefusal(props: Props): () => string {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const { server_id } = props.tab;
  const entry = useQuery(() => ({
    queryKey: ['entry', server_id, props.path],
    queryFn: () =>
      take(
        client.http.GET('/api/files/{server_id}/stat', {
          params: { path: { server_id }, query: { path: props.path } },
        }),
      ),
    retry: false,
  }));
  /** A listing knows the name; the entry alone has the number. */
  function ownerOf({ owner }: Entry): string {
    const { queryKey } = listingQuery(client, server_id, parentOf(props.path));
    const listing = queries.getQueryData<{ users?: Readonly<Record<string, string>> }>(queryKey);
    return listing?.users?.[owner] || owner;
  }
  return () => {
    const account = props.files.server()?.username || t('editor_locked_account');
    const name = nameOf(props.path);
    if (!entry.data) return t('editor_locked_short', { account, name });
    const permissions = entry.data.permissions.slice(1);
    return t('editor_locked_refusal', { account, name, owner: ownerOf(entry.data), permissions });
  };
}
