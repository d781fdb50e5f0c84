import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { keepForPrompt } from '../open-terminals/first-prompt.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Lines, Name } from '../parts/name.tsx';
import type { Closable } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { SnippetChoice } from './choice.tsx';
import { keysOf, type Snippet } from './snippets.ts';

export interface OnServers {
  readonly servers: readonly { readonly server_id: number; readonly server_name: string }[];
  readonly isOffline: (server_id: number) => boolean;
  /** The terminals are opening. */
  readonly onDone: () => void;
}

/** Opens a terminal on each server and sends a snippet to it, after showing what goes where. */
export function SnippetOnServers(props: OnServers & Closable) {
  const { t } = useApp();
  const { panes, wishFocus } = useWorkspace();
  const [final, setFinal] = createSignal<{ readonly snippet: Snippet; readonly command: string }>();

  function run(command: string): void {
    const ids = panes.openTiled(props.servers.map((server) => ({ kind: 'terminal', ...server })));
    for (const id of ids) keepForPrompt(id, { how: 'send', text: keysOf(command) });
    props.onDone();
    wishFocus();
  }
  return (
    <Show
      when={final()}
      fallback={
        <SnippetChoice
          is_confirmed
          onChosen={(snippet, command) => setFinal({ snippet, command })}
          onClose={props.onClose}
        />
      }
    >
      {(ready) => (
        <Confirm
          title={t('snippet_confirm_title', { name: ready().snippet.name })}
          text={t('snippet_on_servers', { count: props.servers.length })}
          action={t('snippet_on_servers_send')}
          onConfirm={() => run(ready().command)}
          onClose={props.onClose}
        >
          <pre class="paste-preview">
            <Lines text={ready().command} />
          </pre>
          <ul class="snippet-servers" aria-label={t('servers')}>
            <For each={props.servers}>
              {({ server_id, server_name }) => (
                <li>
                  <Name text={server_name} />
                  <Show when={props.isOffline(server_id)}>
                    {' '}
                    <span class="badge badge-bad">{t('server_offline')}</span>
                  </Show>
                </li>
              )}
            </For>
          </ul>
        </Confirm>
      )}
    </Show>
  );
}
