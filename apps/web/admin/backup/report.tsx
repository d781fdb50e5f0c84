import { createSignal, For, onMount, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { Translate } from '../../i18n/languages.ts';
import { formatNumber } from '../../lib/format.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { type BackupReport, DEEDS, isIdle, reportRows } from './backup.ts';
import type { createRestore, RestoreOutcome, RestorePlan } from './restore.ts';

interface PlanProps {
  readonly plan: RestorePlan;
  readonly restore: ReturnType<typeof createRestore>;
}

/** The result of the dry run, and the button to restore. */
export function BackupPlan(props: PlanProps) {
  const { t } = useApp();
  const [asking, setAsking] = createSignal(false);
  const { restoring } = props.restore;
  const is_replacing = () => props.plan.input.mode === 'replace';
  const press = () => {
    if (restoring.busy()) return;
    if (is_replacing()) setAsking(true);
    else void props.restore.restore();
  };
  return (
    <div class="backup-report">
      <ReportHeading text={t(isIdle(props.plan.report) ? 'backup_would_nothing' : 'backup_would')} />
      <Report report={props.plan.report} />
      <Show when={restoring.error()}>
        <Trouble title={t('backup_not_restored')} error={restoring.error()} compact />
      </Show>
      <p class="backup-state" role="status">
        <Show when={restoring.busy()}>
          <span class="spinner" aria-hidden="true" /> {t('backup_restoring')}
        </Show>
      </p>
      <button
        type="button"
        class="button"
        classList={{ 'button-danger': is_replacing(), 'button-primary': !is_replacing() }}
        aria-disabled={restoring.busy()}
        onClick={press}
      >
        {t(is_replacing() ? 'backup_replace_action' : 'backup_merge_action')}
      </button>
      <Show when={asking()}>
        <ConfirmReplace onConfirm={() => void props.restore.restore()} onClose={() => setAsking(false)} />
      </Show>
    </div>
  );
}

function ConfirmReplace(props: { onConfirm: () => void; onClose: () => void }) {
  const { t } = useApp();
  const [word, setWord] = createSignal('');
  const wanted = () => t('backup_replace_word');
  return (
    <Confirm
      title={t('backup_replace_title')}
      text={t('backup_replace_text')}
      action={t('backup_replace_do')}
      danger
      blocked={word().trim().toLowerCase() !== wanted().toLowerCase()}
      onConfirm={props.onConfirm}
      onClose={props.onClose}
    >
      <Field
        label={t('backup_replace_type', { word: wanted() })}
        value={word()}
        onChange={setWord}
        input={{ autocomplete: 'off', autocapitalize: 'none' }}
      />
    </Confirm>
  );
}

export function BackupOutcome(props: { outcome: RestoreOutcome }) {
  const { t } = useApp();
  return (
    <div class="backup-report">
      <ReportHeading text={t('backup_restored')} good />
      <Show when={props.outcome.mode === 'replace'}>
        <p>{t('backup_after_replace')}</p>
      </Show>
      <Report report={props.outcome.report} />
    </div>
  );
}

/** Takes the focus, so that screen readers announce the result. */
function ReportHeading(props: { text: string; good?: boolean }) {
  let heading: HTMLHeadingElement | undefined;
  onMount(() => heading?.focus());
  return (
    <h5 class="backup-heading" classList={{ good: props.good ?? false }} tabIndex={-1} ref={heading}>
      {props.text}
    </h5>
  );
}

function Report(props: { report: BackupReport }) {
  const { preferences, t } = useApp();
  const rows = () => reportRows(props.report);
  const deeds = () => DEEDS.filter((deed) => rows().some((row) => row[deed] > 0));
  const count = (value: number) => formatNumber(value, preferences.values.language);
  return (
    <>
      <Warnings told={props.report} />
      <Show when={rows().length > 0}>
        <table class="backup-table">
          <thead>
            <tr>
              <th scope="col">{t('backup_kind')}</th>
              <For each={deeds()}>{(deed) => <th scope="col">{t(`backup_${deed}`)}</th>}</For>
            </tr>
          </thead>
          <tbody>
            <For each={rows()}>
              {(row) => (
                <tr>
                  <th scope="row">{kindText(row.kind, t)}</th>
                  <For each={deeds()}>{(deed) => <td>{count(row[deed])}</td>}</For>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </>
  );
}

export function kindText(kind: string, t: Translate): string {
  return t.optional(`backup_kind_${kind}`) ?? kind;
}
