import { useQuery } from '@tanstack/solid-query';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { formatInstant, formatNumber } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-file.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { type ExportFormat, exportBefore } from '../audit/audit.ts';
import { ExportButton } from '../audit/export-button.tsx';
import { type AuditExcess, type AuditLimits, excessQuery } from './retention.ts';

interface Props {
  readonly limits: AuditLimits;
  readonly onConfirm: (acts_at: string | undefined) => unknown;
  readonly onClose: () => void;
}

/** Asks before a change of the audit limits, shows what they would remove, and offers its export. */
export function RetentionQuestion(props: Props) {
  const { client, t } = useApp();
  const query = useQuery(() => excessQuery(client, props.limits));
  const removes = () => query.data !== undefined && query.data.newest !== null;
  return (
    <Confirm
      title={t(removes() ? 'retention_title' : 'retention_title_none')}
      text={t('retention_lead')}
      action={t('settings_save')}
      danger={removes()}
      blocked={!query.data}
      failure={t('settings_not_saved')}
      onConfirm={() => props.onConfirm(query.data?.acts_at)}
      onClose={() => props.onClose()}
    >
      <QueryState query={query} failure={t('retention_failed')}>
        {(excess) => <Removed excess={excess()} />}
      </QueryState>
    </Confirm>
  );
}

function Removed(props: { excess: AuditExcess }) {
  const { client, preferences, t } = useApp();
  const exporting = createAttempt();
  const language = () => preferences.values.language;
  const time = (instant: string) => formatInstant(instant, language());
  const said = () => {
    const { entries, newest } = props.excess;
    if (newest === null) return t('retention_none');
    return t('retention_some', { count: formatNumber(entries, language()), time: time(newest) });
  };
  const save = (format: ExportFormat) =>
    exporting.run(async () => {
      const { before } = props.excess;
      saveFile(
        `sallyport-audit-until-${before.slice(0, 10)}.${format}`,
        await exportBefore(client, before, format),
      );
    });
  return (
    <>
      <p role="status">{said()}</p>
      <p>{t('retention_acts', { time: time(props.excess.acts_at) })}</p>
      <Show when={props.excess.newest}>
        <div class="actions retention-export">
          <ExportButton format="csv" busy={exporting.busy()} onSave={save} />
          <ExportButton format="ndjson" busy={exporting.busy()} onSave={save} />
        </div>
      </Show>
      <Show when={exporting.error()}>
        <Trouble title={t('audit_not_exported')} error={exporting.error()} compact />
      </Show>
    </>
  );
}
