import { useApp } from '../../app/context.ts';
import { ReadOnlyNote } from '../../parts/read-only.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { BackupExport } from './export.tsx';
import { BackupRestore } from './restore-view.tsx';
import './backup.css';

/** Exports the gateway's data to a file and restores it. */
export function Backup() {
  const { t } = useApp();
  return (
    <section class="section section-wide" aria-labelledby="backup-title">
      <SectionTitle id="backup-title" text={t('backup')} />
      <p class="section-lead">{t('backup_lead')}</p>
      <ReadOnlyNote />
      <div class="backup-parts">
        <BackupExport />
        <BackupRestore />
      </div>
    </section>
  );
}
