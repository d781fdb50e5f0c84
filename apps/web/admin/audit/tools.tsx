import Ellipsis from 'lucide-solid/icons/ellipsis';
import RefreshCw from 'lucide-solid/icons/refresh-cw';
import type { JSX } from 'solid-js';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { dayOf } from '../../lib/expiry.ts';
import { saveFile } from '../../lib/save-file.ts';
import { Menu, MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { type AuditConditions, type ExportFormat, exportAudit } from './audit.ts';
import {
  createVerification,
  LastVerification,
  VerificationItems,
  VerificationResult,
} from './verification.tsx';

interface Options {
  readonly conditions: () => AuditConditions;
  readonly busy: () => boolean;
  readonly onRefresh: () => void;
}

interface Tools {
  /** Beside the query bar. */
  readonly buttons: JSX.Element;
  /** The outcome of the last verification or export; empty before the first. */
  readonly results: JSX.Element;
  /** Below the log. */
  readonly last: JSX.Element;
}

/** Actions on the whole log: refresh, export, verify. */
export function createAuditTools({ conditions, busy, onRefresh }: Options): Tools {
  const { client, t } = useApp();
  const exporting = createAttempt();
  const verification = createVerification();
  const save = (format: ExportFormat) =>
    exporting.run(async () => {
      const content = await exportAudit(client, conditions(), format);
      saveFile(`sallyport-audit-${dayOf(new Date())}.${format}`, content);
    });
  return {
    buttons: (
      <>
        <button
          type="button"
          class="icon-button"
          aria-label={t('refresh')}
          title={t('refresh')}
          onClick={onRefresh}
        >
          <RefreshCw size={16} aria-hidden="true" classList={{ turning: busy() }} />
        </button>
        <Menu label={t('audit_tools')} icon={<Ellipsis size={16} aria-hidden="true" />} class="icon-button">
          <ExportItem format="csv" busy={exporting.busy()} onSave={save} />
          <ExportItem format="ndjson" busy={exporting.busy()} onSave={save} />
          <MenuSeparator />
          <VerificationItems verification={verification} />
        </Menu>
      </>
    ),
    results: (
      <div>
        <VerificationResult verification={verification} />
        <Show when={exporting.error()}>
          <Trouble title={t('audit_not_exported')} error={exporting.error()} compact />
        </Show>
      </div>
    ),
    last: <LastVerification verification={verification} />,
  };
}

interface ExportProps {
  readonly format: ExportFormat;
  readonly busy: boolean;
  readonly onSave: (format: ExportFormat) => Promise<unknown>;
}

function ExportItem(props: ExportProps) {
  const { t } = useApp();
  return (
    <MenuItem
      label={t(`export_${props.format}`)}
      disabled={props.busy}
      onSelect={() => void props.onSave(props.format)}
    />
  );
}
