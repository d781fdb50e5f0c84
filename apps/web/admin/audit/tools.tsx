import Download from 'lucide-solid/icons/download';
import RefreshCw from 'lucide-solid/icons/refresh-cw';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { dayOf } from '../../lib/expiry.ts';
import { saveFile } from '../../lib/save-file.ts';
import { Trouble } from '../../parts/trouble.tsx';
import { type AuditFilter, type ExportFormat, exportAudit } from './audit.ts';
import { Verification } from './verification.tsx';

interface Props {
  readonly filter: AuditFilter;
  readonly busy: boolean;
  readonly onRefresh: () => void;
}

/** Actions on the whole log: refresh, export, verify. */
export function AuditTools(props: Props) {
  const { client, t } = useApp();
  const exporting = createAttempt();

  const save = (format: ExportFormat) =>
    exporting.run(async () => {
      const content = await exportAudit(client, props.filter, format);
      saveFile(`sallyport-audit-${dayOf(new Date())}.${format}`, content);
    });

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
      </div>
      <Verification />
      <Show when={exporting.error()}>
        <Trouble title={t('audit_not_exported')} error={exporting.error()} compact />
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
