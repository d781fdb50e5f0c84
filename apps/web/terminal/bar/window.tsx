import { createEffect, Match, Show, Switch } from 'solid-js';
import { loadableDialog } from '../../parts/dialogs/loadable-dialog.tsx';
import { useOpenTerminals } from '../../open-terminals/open-terminals.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';
import { SnippetWindow } from '../../snippets/window.tsx';
import { useWorkspace, type Window } from '../../workspace/workspace.ts';
import { BroadcastDialog } from '../broadcast/dialog.tsx';
import { ShareDialog } from '../shares/dialog.tsx';

const ConnectionDialog = loadableDialog(async () => (await import('./connection.tsx')).ConnectionDialog);

type TerminalTool = Extract<Window, { kind: 'share' | 'snippets' | 'broadcast' | 'connection' }>;

interface Props extends TerminalTool {
  readonly onClose: () => void;
}

/** A window opened from the terminal's bar. It closes with its terminal and returns the focus to it. */
export function TerminalWindow(props: Props) {
  const { wishFocus } = useWorkspace();
  const { terminals } = useOpenTerminals();
  const handle = () => terminals.of(props.tab_id);
  function close(): void {
    props.onClose();
    wishFocus();
  }
  createEffect(() => handle() === undefined && close());
  return (
    <Show when={handle()} keyed>
      {(present) => <Tool kind={props.kind} handle={present} onClose={close} />}
    </Show>
  );
}

interface ToolProps extends Pick<Props, 'kind' | 'onClose'> {
  readonly handle: TerminalHandle;
}

function Tool(props: ToolProps) {
  return (
    <Switch>
      <Match when={props.kind === 'share'}>
        <ShareDialog handle={props.handle} onClose={props.onClose} />
      </Match>
      <Match when={props.kind === 'snippets'}>
        <SnippetWindow handle={props.handle} onClose={props.onClose} />
      </Match>
      <Match when={props.kind === 'broadcast'}>
        <BroadcastDialog handle={props.handle} onClose={props.onClose} />
      </Match>
      <Match when={props.kind === 'connection'}>
        <ConnectionDialog handle={props.handle} onClose={props.onClose} />
      </Match>
    </Switch>
  );
}
