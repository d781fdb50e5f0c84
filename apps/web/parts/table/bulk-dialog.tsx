import CircleCheck from 'lucide-solid/icons/circle-check';
import CircleMinus from 'lucide-solid/icons/circle-minus';
import CircleX from 'lucide-solid/icons/circle-x';
import { createSignal, createUniqueId, For, Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Dialog } from '../dialogs/dialog.tsx';
import { Field } from '../fields/field.tsx';
import { KnownNames } from '../fields/known-names.tsx';
import { Name } from '../name.tsx';
import { reasonOf } from '../trouble.tsx';
import { type BulkAction, type BulkField, type BulkRun, createBulkRun, type Outcome } from './bulk-run.ts';

interface Props<T> {
  readonly action: BulkAction<T>;
  readonly rows: readonly T[];
  readonly nameOf: (row: T) => string;
  readonly onClose: () => void;
}

/** Asks once with the count and the names, then shows what became of each row. */
export function BulkDialog<T>(props: Props<T>) {
  const { t } = useApp();
  const run = createBulkRun(props.action, props.rows);
  const [value, setValue] = createSignal('');
  const is_busy = () => run.state() === 'running' || run.state() === 'stopped';
  function close(): void {
    run.stop();
    props.onClose();
  }
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (run.state() === 'asking') void run.start(value().trim());
    else if (!is_busy()) close();
  }
  return (
    <Dialog title={props.action.question(props.rows.length)} sticky onClose={close}>
      <form class="dialog-form" onSubmit={submit}>
        <Show when={props.action.text}>{(text) => <p class="dialog-lead">{text()}</p>}</Show>
        <Show when={run.state() === 'asking' && props.action.field}>
          {(field) => <ValueField field={field()} value={value()} onChange={setValue} />}
        </Show>
        <Results run={run} nameOf={props.nameOf} />
        <p role="status">
          <Progress run={run} />
        </p>
        <div class="actions">
          <Show when={run.state() !== 'done'}>
            <button
              type="button"
              class="button"
              disabled={run.state() === 'stopped'}
              onClick={() => (is_busy() ? run.stop() : close())}
            >
              {t(is_busy() ? 'bulk_stop' : 'cancel')}
            </button>
          </Show>
          <Show
            when={run.state() === 'asking'}
            fallback={
              <button type="submit" class="button button-primary" aria-disabled={is_busy()}>
                {t('close')}
              </button>
            }
          >
            <button
              type="submit"
              class={`button ${props.action.danger ? 'button-danger' : 'button-primary'}`}
              disabled={isMissing(props.action.field, value())}
            >
              {props.action.label.replace(/…$/, '')}
            </button>
          </Show>
        </div>
      </form>
    </Dialog>
  );
}

function isMissing(field: BulkField | undefined, value: string): boolean {
  if (field === undefined) return false;
  return (field.is_optional !== true && value.trim() === '') || field.refuses?.(value.trim()) !== undefined;
}

function ValueField(props: { field: BulkField; value: string; onChange: (value: string) => void }) {
  const list = createUniqueId();
  return (
    <>
      <Field
        label={props.field.label}
        description={props.field.hint}
        value={props.value}
        error={props.field.refuses?.(props.value.trim())}
        onChange={props.onChange}
        input={{ list, autocomplete: 'off', maxlength: 100 }}
      />
      <KnownNames id={list} names={props.field.known ?? []} />
    </>
  );
}

function Progress<T>(props: { run: BulkRun<T> }) {
  const { t } = useApp();
  const counts = () => ({
    done: props.run.outcomes().length,
    total: props.run.rows.length,
    failed: props.run.failed(),
  });
  return (
    <Switch>
      <Match when={props.run.state() === 'done'}>
        {t(counts().failed > 0 ? 'bulk_done_failed' : 'bulk_done', counts())}
      </Match>
      <Match when={props.run.state() !== 'asking'}>
        <span class="spinner" aria-hidden="true" /> {t('bulk_progress', counts())}
      </Match>
    </Switch>
  );
}

function Results<T>(props: { run: BulkRun<T>; nameOf: (row: T) => string }) {
  const { t } = useApp();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
    <ul class="bulk-rows" aria-label={t('bulk_rows')} tabIndex={0}>
      <For each={props.run.rows}>
        {(row, at) => (
          <li>
            <span class="bulk-name">
              <Name text={props.nameOf(row)} />
            </span>
            <Show when={props.run.outcomes()[at()]}>{(outcome) => <Result outcome={outcome()} />}</Show>
          </li>
        )}
      </For>
    </ul>
  );
}

function Result(props: { outcome: Outcome }) {
  const { t } = useApp();
  const said = () =>
    props.outcome.kind === 'failed' ? reasonOf(props.outcome.error, t) : props.outcome.said;
  return (
    <span class="bulk-result">
      <Switch>
        <Match when={props.outcome.kind === 'done'}>
          <CircleCheck class="good" size={15} role="img" aria-label={t('bulk_row_done')} />
        </Match>
        <Match when={props.outcome.kind === 'failed'}>
          <CircleX class="bad" size={15} role="img" aria-label={t('bulk_row_failed')} />
        </Match>
        <Match when={props.outcome.kind === 'skipped'}>
          <CircleMinus class="tone-idle" size={15} role="img" aria-label={t('bulk_row_skipped')} />
        </Match>
      </Switch>{' '}
      {said()}
    </span>
  );
}
