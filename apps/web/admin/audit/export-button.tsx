import Download from 'lucide-solid/icons/download';
import { useApp } from '../../app/context.ts';
import type { ExportFormat } from './audit.ts';

interface Props {
  readonly format: ExportFormat;
  readonly busy: boolean;
  readonly onSave: (format: ExportFormat) => Promise<unknown>;
}

export function ExportButton(props: Props) {
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
