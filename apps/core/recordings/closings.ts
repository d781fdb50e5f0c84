import type { Actor, AuditTrail } from '../audit/trail.ts';
import type { AuditAction } from '../model/audit/audit.ts';
import type { RecordingRow } from '../model/recording.ts';
import type { RecordingEnd } from '../ports/repositories/recordings.ts';
import type { Repositories } from '../ports/repositories.ts';
import { closeDetail } from './entries.ts';

interface Entry {
  readonly action: AuditAction;
  readonly detail: string;
}

/** A recording that has ended, to be stored in its row and the audit log. */
export interface Closing {
  readonly row: RecordingRow;
  readonly end: RecordingEnd;
  readonly actor: Actor;
  /** Recorded before the entry with the hash. */
  readonly note?: Entry;
}

export interface Closings {
  /** Skips what another instance has closed. While the database is down, the closing is kept for `retry`. */
  close(closing: Closing): Promise<void>;
  /** Retries failed closings; one promise each. */
  retry(): Promise<void>[];
}

/** False when another instance has done it and no step is left. */
type Step = (is_again: boolean) => Promise<boolean>;

interface Deps {
  readonly repositories: Pick<Repositories, 'recordings'>;
  readonly trail: AuditTrail;
  /** Called after each closing. */
  readonly closed: () => void;
}

export function createClosings({ repositories: { recordings }, trail, closed }: Deps): Closings {
  const failed = new Set<Step[]>(); // the remaining steps of each

  /** Whether an earlier attempt was stored although its answer was lost. */
  async function isIn({ row: { id }, end }: Closing): Promise<boolean> {
    const row = await recordings.byId(id);
    return row?.status === end.status && row.sha256 === end.sha256;
  }

  function stepsOf(closing: Closing): Step[] {
    const { row, end, actor, note } = closing;
    const last: Entry = { action: 'recording_close', detail: closeDetail(row, end) };
    const entries = (note ? [note, last] : [last]).map(
      ({ action, detail }): Step =>
        async () => {
          await trail.record(actor, action, detail, { retry: false }); // `retry` records it again
          return true;
        },
    );
    const inRow: Step = async (is_again) =>
      (await recordings.close(row.id, end)) || (is_again && (await isIn(closing)));
    // A finished recording can be verified at once, so its entries come first. Of several instances that
    // close an interrupted one, only the one that changes the row records it.
    return end.status === 'finished' ? [...entries, inRow] : [inRow, ...entries];
  }

  async function proceed(steps: Step[], is_again: boolean): Promise<void> {
    try {
      while (await steps[0]?.(is_again)) steps.shift();
      closed();
    } catch (error) {
      failed.add(steps);
      throw error;
    }
  }

  return {
    close: (closing) => proceed(stepsOf(closing), false),

    retry() {
      const again = [...failed];
      failed.clear();
      return again.map((steps) => proceed(steps, true));
    },
  };
}
