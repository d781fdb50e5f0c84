import { createEffect, on } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { TransferSummary } from './row.ts';
import type { Transfers } from './user-transfers.ts';

type Counts = Pick<TransferSummary, 'active' | 'failed' | 'paused'>;

/** How the transfers that were running together have ended; undefined while they run or wait for the user. */
export function endOf(begun: Counts, now: Counts): 'done' | 'failed' | undefined {
  if (now.active > 0) return undefined;
  if (now.failed > begun.failed) return 'failed';
  return now.paused > begun.paused ? undefined : 'done';
}

/** Transfers that end while the page is out of sight mark its title, and notify once if the user wants that. */
export function alertAtEnd({ marks, notifier }: Workspace, { summary, setOpen }: Transfers): void {
  const { preferences, t } = useApp();
  let begun: Counts = summary();
  createEffect(
    on(summary, (now, before) => {
      if (!before || before.active === 0) {
        begun = before ?? now;
        return;
      }
      const end = endOf(begun, now);
      if (!end || !marks.is_page_hidden()) return;
      marks.markTransfers();
      if (!preferences.values.notify_transfers) return;
      const failed = now.failed - begun.failed;
      notifier.show({
        title: end === 'failed' ? t('transfer_news_failed', { count: failed }) : t('transfer_news_done'),
        body: '',
        tag: 'sallyport-transfers',
        onClick: () => setOpen(true),
      });
    }),
  );
}
