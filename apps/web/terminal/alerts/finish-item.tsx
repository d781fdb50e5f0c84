import { useApp } from '../../app/context.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';
import { MenuItem } from '../../parts/menu.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { finishAction } from './finish-action.ts';

/** The entry of a menu for “Notify when it finishes”. */
export function FinishItem(props: { terminal: TerminalHandle }) {
  const { t } = useApp();
  const { notifier } = useWorkspace();
  const action = () => finishAction(props.terminal, notifier);
  return (
    <MenuItem label={t(action().label)} disabled={props.terminal.ended()} onSelect={() => action().run()} />
  );
}
