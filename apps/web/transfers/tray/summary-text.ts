import type { Translate } from '../../i18n/languages.ts';
import type { TransferSummary } from '../row.ts';

/** All transfers in a few words, for the status line. */
export function shortText(summary: TransferSummary, t: Translate): string {
  const { active, percent, failed, paused } = summary;
  const say = (what: 'active' | 'failed' | 'waiting', count: number) =>
    count === 1 ? t(`transfer_${what}_one`) : t(`transfer_${what}_many`, { count });
  if (active > 0) {
    const transfers = say('active', active);
    return percent === undefined ? transfers : t('transfer_percent', { transfers, percent });
  }
  if (failed > 0) return say('failed', failed);
  if (paused > 0) return say('waiting', paused);
  const settled = settledText(summary, t);
  return settled === '' ? t('transfer_all_done') : t('transfer_all_done_settled', { settled });
}

/** What came of the names that were taken, and what was left out. */
export function settledText(
  { replaced, doubled, skipped }: Pick<TransferSummary, 'replaced' | 'doubled' | 'skipped'>,
  t: Translate,
): string {
  const said = [
    replaced > 0 ? t('transfer_replaced_files', { count: replaced }) : '',
    doubled > 0 ? t('transfer_doubled_files', { count: doubled }) : '',
    skipped > 0 ? t('transfer_skipped_files', { count: skipped }) : '',
  ];
  return said.filter((part) => part !== '').join(', ');
}
