import { For, type JSX, type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { Name } from '../../parts/name.tsx';
import { reasonOf, Trouble } from '../../parts/trouble.tsx';
import type { BatchOutcome } from '../changes/batch.ts';
import type { BatchRun } from '../changes/batch-run.ts';
import './dialogs.css';

const MOST_REASONS = 5;

interface Props {
  readonly run: BatchRun;
  readonly action: string;
  readonly danger?: boolean;
  readonly blocked?: boolean;
  /** Text for the number of items that were not done. */
  readonly failure: (values: { count: number; total: number }) => string;
  /** Starts, or retries the remaining items. */
  readonly onStart: () => void;
  readonly onClose: () => void;
  /** An alternative to retrying. */
  readonly extra?: JSX.Element;
}

/** A form for a batch of operations: shows progress, can be canceled, and lists failures. */
export function BatchForm(props: ParentProps<Props>) {
  return (
    <form
      class="dialog-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!props.blocked && !props.run.running()) props.onStart();
      }}
    >
      <Show when={props.run.running()} fallback={<Before {...props} />}>
        {(running) => <Running {...running()} onCancel={props.run.cancel} />}
      </Show>
    </form>
  );
}

function Before(props: ParentProps<Props>) {
  const { t } = useApp();
  const action = () => (props.run.outcome() ? t('try_again') : props.action);
  return (
    <>
      <Show when={props.run.outcome()} fallback={props.children}>
        {(outcome) => (
          <NotDone outcome={outcome()} is_cancelled={props.run.cancelled()} failure={props.failure}>
            {props.extra}
          </NotDone>
        )}
      </Show>
      <FormActions
        action={action()}
        danger={props.danger ?? false}
        blocked={props.blocked ?? false}
        busy={false}
        onCancel={props.onClose}
      />
    </>
  );
}

function Running(props: { finished: number; total: number; onCancel: () => void }) {
  const { t } = useApp();
  const said = () => t('files_progress', { finished: props.finished, total: props.total });
  return (
    <>
      <div class="batch-progress">
        <progress max={props.total} value={props.finished} aria-label={t('files_progress_label')} />
        <span>{said()}</span>
      </div>
      <div class="actions">
        <button type="button" class="button" onClick={() => props.onCancel()}>
          {t('cancel')}
        </button>
      </div>
    </>
  );
}

interface NotDoneProps {
  readonly outcome: BatchOutcome;
  readonly is_cancelled: boolean;
  readonly failure: Props['failure'];
}

function NotDone(props: ParentProps<NotDoneProps>) {
  const { t } = useApp();
  const { done, failures, left } = props.outcome;
  const total = done.length + failures.length + left.length;
  const [first] = failures;
  if (props.is_cancelled || !first)
    return (
      <p class="note" role="status">
        {t('files_cancelled', { finished: done.length, total })}
      </p>
    );
  const title = props.failure({ count: failures.length + left.length, total });
  return (
    <>
      <Trouble title={title} error={first.error} compact>
        {props.children}
      </Trouble>
      <Show when={total > 1}>
        <ul class="batch-failures">
          <For each={failures.slice(0, MOST_REASONS)}>
            {({ path, error }) => (
              <li>
                <code>
                  <Name text={path} />
                </code>{' '}
                {reasonOf(error, t)}
              </li>
            )}
          </For>
          <Show when={failures.length > MOST_REASONS}>
            <li>{t('files_more', { count: failures.length - MOST_REASONS })}</li>
          </Show>
        </ul>
      </Show>
    </>
  );
}
