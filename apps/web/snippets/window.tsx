import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { useOpenTerminals, useTerminalLabel } from '../open-terminals/open-terminals.ts';
import type { TerminalHandle } from '../open-terminals/terminals.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Lines } from '../parts/name.tsx';
import { SnippetChoice } from './choice.tsx';
import { keysOf, type Snippet } from './snippets.ts';

interface Props {
  readonly handle: TerminalHandle;
  /** Chosen already, without its command in sight. */
  readonly snippet?: Snippet | undefined;
  readonly onClose: () => void;
}

/** Sends a snippet to a terminal: choose, fill in, confirm if required, send. */
export function SnippetWindow(props: Props) {
  const { broadcast } = useOpenTerminals();
  const [final, setFinal] = createSignal<{ readonly snippet: Snippet; readonly command: string }>();

  function send(command: string): void {
    props.onClose();
    broadcast.send(props.handle, keysOf(command));
  }
  function settle(snippet: Snippet, command: string): void {
    if (snippet.confirm || props.snippet) setFinal({ snippet, command });
    else send(command);
  }

  return (
    <Show
      when={final()}
      fallback={<SnippetChoice chosen={props.snippet} onChosen={settle} onClose={props.onClose} />}
    >
      {(ready) => (
        <SnippetConfirm
          handle={props.handle}
          name={ready().snippet.name}
          command={ready().command}
          onConfirm={() => send(ready().command)}
          onClose={props.onClose}
        />
      )}
    </Show>
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
      <pre class="paste-preview">
        <Lines text={props.command} />
      </pre>
    </Confirm>
  );
}
