import type { Translate } from '../../i18n/languages.ts';
import type { TransferSummary } from '../row.ts';

/** All transfers in a few words, for the status line. */
export function shortText(
  { active, percent, failed, paused, skipped }: TransferSummary,
  t: Translate,
): string {
  const say = (what: 'active' | 'failed' | 'waiting', count: number) =>
    count === 1 ? t(`transfer_${what}_one`) : t(`transfer_${what}_many`, { count });
  if (active > 0) {
    const transfers = say('active', active);
    return percent === undefined ? transfers : t('transfer_percent', { transfers, percent });
  }
  if (failed > 0) return say('failed', failed);
  if (paused > 0) return say('waiting', paused);
  return skipped > 0 ? t('transfer_all_done_skipped', { count: skipped }) : t('transfer_all_done');
}
