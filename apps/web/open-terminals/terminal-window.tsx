import { createEffect, type JSX, Show } from 'solid-js';
import type { Closable } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { useOpenTerminals } from './open-terminals.ts';
import type { TerminalHandle } from './terminals.ts';

/** What a dialog about one terminal is opened with. */
export interface TerminalWindowProps {
  readonly tab_id: string;
}

interface Props extends TerminalWindowProps, Closable {
  readonly children: (handle: TerminalHandle, close: () => void) => JSX.Element;
}

/** A dialog about one terminal. It closes with its terminal and returns the focus to it. */
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
      {(present) => props.children(present, close)}
    </Show>
  );
}
