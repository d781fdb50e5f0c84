import { ClientError } from '#client/transport/client-error.ts';
import type { TransferList } from './list.ts';
import { isActive, isOver, mayGoOn, type TransferRow } from './row.ts';
import type { Ledger } from './uploads/ledger.ts';

export interface TransferControls {
  pause(id: string): void;
  /** Resumes or retries. */
  resume(id: string): void;
  /** Discards the partial transfer and removes its row, unless an extraction may have written files. */
  cancel(id: string): void;
  pauseAll(): void;
  resumeAll(): void;
  /** Removes the rows of all transfers that are done or have failed. */
  clearEnded(): void;
}

export function createControls(list: TransferList, ledger: Pick<Ledger, 'forgetJob'>): TransferControls {
  const ids = (wanted: (row: TransferRow) => boolean) => list.rows.filter(wanted).map(({ id }) => id);

  function pause(id: string): void {
    list.job(id)?.stop();
    list.set(id, { state: 'paused', error: undefined });
  }

  function resume(id: string): void {
    if (list.row(id)?.state !== 'waiting') list.set(id, { state: 'queued', error: undefined });
    list.job(id)?.start();
  }

  /** What an extraction has written stays, so its row stays and says so. */
  function endExtraction(id: string): void {
    list.job(id)?.stop();
    const detail = 'Canceled. The files extracted so far are complete and stay on the host.';
    list.set(id, {
      state: 'failed',
      error: new ClientError({ status: 0, code: 'extract_canceled', detail }),
    });
  }

  function cancel(id: string): void {
    const row = list.row(id);
    const may_have_written = row?.kind === 'extract' && isActive(row) && row.state !== 'asking';
    if (may_have_written) endExtraction(id);
    else discard(id);
  }

  function discard(id: string): void {
    const job = list.job(id);
    list.remove(id);
    void ledger.forgetJob(id);
    void job?.discard();
  }

  return {
    pause,
    resume,
    cancel,
    pauseAll: () => ids((row) => isActive(row) && row.can_pause).forEach(pause),
    resumeAll: () => ids(mayGoOn).forEach(resume),
    clearEnded: () => ids(isOver).forEach(cancel),
  };
}

export interface Suspension {
  /** Stops running jobs without updating their rows. */
  suspend(): void;
  goOn(): void;
}

/** Pauses transfers while nobody is signed in. */
export function createSuspension(list: TransferList): Suspension {
  const stopped = new Set<string>();
  return {
    suspend() {
      for (const { id } of list.rows.filter(isActive)) {
        stopped.add(id);
        list.job(id)?.stop();
        list.set(id, { state: 'queued', error: undefined });
      }
      list.rest();
    },
    goOn() {
      for (const id of stopped) list.job(id)?.start();
      stopped.clear();
    },
  };
}
