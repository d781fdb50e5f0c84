import X from 'lucide-solid/icons/x';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { useReadOnlyReason } from '../read-only.tsx';
import { ReasonButton } from '../reason-button.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkAction } from './bulk-run.ts';
import type { TableState } from './state.ts';

interface Props<T> {
  readonly table: TableState<T>;
  readonly actions: readonly BulkAction<T>[];
}

interface Open<T> {
  readonly action: BulkAction<T>;
  readonly rows: readonly T[];
}

/** What can be done with the selected rows. */
export function BulkBar<T>(props: Props<T>) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  const [open, setOpen] = createSignal<Open<T>>();
  const count = () => props.table.chosen().length;
  return (
    <>
      <Show when={count() > 0}>
        <section class="bulk-bar" aria-label={t('bulk_actions')}>
          <span class="bulk-count" role="status">
            {t('bulk_selected', { count: count() })}
          </span>
          <For each={props.actions}>
            {(action) => (
              <ReasonButton why={why()} onPress={() => setOpen({ action, rows: props.table.chosen() })}>
                {action.label}
              </ReasonButton>
            )}
          </For>
          <button
            type="button"
            class="icon-button"
            aria-label={t('bulk_clear')}
            title={`${t('bulk_clear')} (Esc)`}
            onClick={props.table.chooseNone}
          >
            <X size={16} aria-hidden="true" />
          </button>
        </section>
      </Show>
      <Show when={open()} keyed>
        {({ action, rows }) => (
          <BulkDialog
            action={action}
            rows={rows}
            nameOf={props.table.nameOf}
            onClose={() => setOpen(undefined)}
          />
        )}
      </Show>
    </>
  );
}
