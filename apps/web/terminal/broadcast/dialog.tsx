import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { canReceive } from '../../open-terminals/broadcast.ts';
import { useOpenTerminals, useTerminalLabel } from '../../open-terminals/open-terminals.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { CheckField } from '../../parts/fields/check.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';

interface Props {
  /** The pane that starts the broadcast. */
  readonly handle: TerminalHandle;
  readonly onClose: () => void;
}

/** Selects the terminals that receive the input. */
export function BroadcastDialog(props: Props) {
  const { t } = useApp();
  const { broadcast } = useOpenTerminals();
  const panes = createChoice(props.handle);
  const is_enough = () => panes.chosen().length > 1;
  function begin(event: SubmitEvent): void {
    event.preventDefault();
    if (!is_enough()) return;
    props.onClose();
    broadcast.start(panes.chosen());
  }
  return (
    <Dialog title={t('broadcast_title')} description={t('broadcast_text')} onClose={props.onClose}>
      <form class="dialog-form" onSubmit={begin}>
        <div class="row-actions">
          <button type="button" class="button" onClick={() => panes.choose(panes.able())}>
            {t('broadcast_all')}
          </button>
          <button type="button" class="button" onClick={() => panes.choose(panes.in_sight())}>
            {t('broadcast_in_sight')}
          </button>
        </div>
        <fieldset class="form-group broadcast-panes">
          <legend>{t('broadcast_panes')}</legend>
          <For each={panes.able()}>
            {(handle) => (
              <CheckField
                label={panes.labelOf(handle)}
                checked={panes.chosen().includes(handle.tab_id)}
                onChange={(wanted) => panes.set(handle, wanted)}
              />
            )}
          </For>
        </fieldset>
        <Show when={panes.left_out() > 0}>
          <p class="field-hint">{t('broadcast_left_out', { count: panes.left_out() })}</p>
        </Show>
        <p class="field-hint" role="status">
          {t('broadcast_chosen', { count: panes.chosen().length })}
        </p>
        <FormActions
          action={t('broadcast_begin_now')}
          busy={false}
          blocked={!is_enough()}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}

/** Initially the visible terminals only: nobody should type unknowingly into one out of sight. */
function createChoice(own: TerminalHandle) {
  const { panes } = useWorkspace();
  const { terminals, broadcast } = useOpenTerminals();
  const labelOf = useTerminalLabel();
  const able = () => terminals.list().filter(canReceive);
  const in_sight = () => able().filter(({ tab_id }) => panes.isShown(tab_id));
  const [picked, setPicked] = createSignal(
    idsOf(broadcast.has(own.tab_id) ? broadcast.members() : in_sight()),
  );
  /** Terminals that have closed are left out. */
  const chosen = () => idsOf(able()).filter((id) => picked().includes(id));
  return {
    able,
    in_sight,
    chosen,
    left_out: () => terminals.list().length - able().length,
    choose: (handles: readonly TerminalHandle[]) => setPicked(idsOf(handles)),
    set({ tab_id }: TerminalHandle, wanted: boolean) {
      const others = picked().filter((id) => id !== tab_id);
      setPicked(wanted ? [...others, tab_id] : others);
    },
    labelOf,
  };
}

function idsOf(handles: readonly TerminalHandle[]): string[] {
  return handles.map(({ tab_id }) => tab_id);
}
