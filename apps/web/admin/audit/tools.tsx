import Download from 'lucide-solid/icons/download';
import RefreshCw from 'lucide-solid/icons/refresh-cw';
import ShieldCheck from 'lucide-solid/icons/shield-check';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { dayOf } from '../../lib/expiry.ts';
import { formatInstant, formatNumber } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-file.ts';
import { Trouble } from '../../parts/trouble.tsx';
import { type AuditFilter, type AuditVerdict, type ExportFormat, exportAudit, verifyAudit } from './audit.ts';

interface Props {
  readonly filter: AuditFilter;
  readonly busy: boolean;
  readonly onRefresh: () => void;
}

/** Actions on the whole log: refresh, export, verify. */
export function AuditTools(props: Props) {
  const { client, t } = useApp();
  const exporting = createAttempt();
  const verifying = createAttempt();
  const [verdict, setVerdict] = createSignal<AuditVerdict>();

  const save = (format: ExportFormat) =>
    exporting.run(async () => {
      const content = await exportAudit(client, props.filter, format);
      saveFile(`sallyport-audit-${dayOf(new Date())}.${format}`, content);
    });
  const verify = () => {
    setVerdict(undefined);
    return verifying.run(async () => setVerdict(await verifyAudit(client)));
  };

  return (
    <>
      <div class="audit-tools">
        <button
          type="button"
          class="icon-button"
          aria-label={t('refresh')}
          title={t('refresh')}
          onClick={() => props.onRefresh()}
        >
          <RefreshCw size={16} aria-hidden="true" classList={{ turning: props.busy }} />
        </button>
        <ExportButton format="csv" busy={exporting.busy()} onSave={save} />
        <ExportButton format="ndjson" busy={exporting.busy()} onSave={save} />
        <button type="button" class="button" aria-disabled={verifying.busy()} onClick={() => void verify()}>
          <ShieldCheck size={15} aria-hidden="true" /> {t(verifying.busy() ? 'verifying' : 'verify_chain')}
        </button>
        <span role="status">
          <Show when={verdict()?.ok && verdict()}>{(good) => <Verified verdict={good()} />}</Show>
        </span>
      </div>
      <Show when={verdict()?.ok === false && verdict()}>{(bad) => <Broken verdict={bad()} />}</Show>
      <Show when={exporting.error()}>
        <Trouble title={t('audit_not_exported')} error={exporting.error()} compact />
      </Show>
      <Show when={verifying.error()}>
        <Trouble title={t('audit_not_verified')} error={verifying.error()} compact />
      </Show>
    </>
  );
}

interface ExportProps {
  readonly format: ExportFormat;
  readonly busy: boolean;
  readonly onSave: (format: ExportFormat) => Promise<unknown>;
}

export function ExportButton(props: ExportProps) {
  const { t } = useApp();
  return (
    <button
      type="button"
      class="button"
      aria-disabled={props.busy}
      onClick={() => void props.onSave(props.format)}
    >
      <Download size={15} aria-hidden="true" /> {t(`export_${props.format}`)}
    </button>
  );
}

function Verified(props: { verdict: AuditVerdict }) {
  const { preferences, t } = useApp();
  const counted = (count: number) => ({ count: formatNumber(count, preferences.values.language) });
  const said = () => {
    const { entries, checkpoint } = props.verdict;
    if (!checkpoint) return t('chain_verified', counted(entries));
    const time = formatInstant(checkpoint.until, preferences.values.language);
    return t('chain_verified_after', { ...counted(entries), time });
  };
  const hint = () =>
    props.verdict.restored > 0 ? t('chain_restored', counted(props.verdict.restored)) : undefined;
  return (
    <span class="badge badge-good" title={hint()}>
      {said()}
    </span>
  );
}

function Broken(props: { verdict: AuditVerdict }) {
  const { t } = useApp();
  const reason = () => props.verdict.reason;
  return (
    <div class="broken" role="alert">
      <p class="trouble-title">
        {props.verdict.first_bad_id === null
          ? t('chain_broken')
          : t('chain_broken_at', { id: props.verdict.first_bad_id })}
      </p>
      <Show when={reason()}>{(word) => <p>{t(`chain_${word()}`)}</p>}</Show>
      <p class="trouble-hint">{t('chain_broken_next')}</p>
    </div>
  );
}
