import type { ScannedAuditRow } from '../../model/audit/audit.ts';
import { recordedTotal } from './checkpoint.ts';
import { type RecordedLimits, recordedLimits } from './limits.ts';

export const MARK_ENTRIES = 20; // entries removed in one transaction: on SQLite it blocks the event loop

/** A verified place in a chain up to which entries can be removed. */
export interface Mark {
  readonly seq: number;
  readonly hash: string;
  /** Time of the latest entry since the mark before; all of these are of the same hour. */
  readonly latest: string;
  /** Their number, without the records of removals. */
  readonly entries: number;
}

/** What the verified entries of one chain say about retention. */
export interface ChainEvidence {
  /** The most removed entries that one of them counts. */
  removed: number;
  readonly limits: RecordedLimits[];
  readonly marks: Mark[];
}

/** What all verified entries say. */
export interface Evidence extends Omit<ChainEvidence, 'marks'> {
  readonly marks: Map<string, readonly Mark[]>;
}

export function noEvidence(): ChainEvidence {
  return { removed: 0, limits: [], marks: [] };
}

/** The beginning of an instant. */
export function hourOf(instant: string): string {
  return instant.slice(0, 'YYYY-MM-DDTHH'.length);
}

export function collect(evidence: ChainEvidence, rows: readonly ScannedAuditRow[]): void {
  for (const row of rows) {
    evidence.removed = Math.max(evidence.removed, recordedTotal(row));
    if (row.action === 'audit_limits') evidence.limits.push(recordedLimits(row));
    mark(evidence.marks, row);
  }
}

function mark(marks: Mark[], { seq, hash, created_at, action }: ScannedAuditRow): void {
  const last = marks.at(-1);
  const goes_on = last && seq % MARK_ENTRIES !== 1 && hourOf(last.latest) === hourOf(created_at);
  const { latest, entries } = goes_on ? last : { latest: '', entries: 0 };
  const more = action === 'audit_trimmed' ? 0 : 1;
  const next = { seq, hash, latest: created_at > latest ? created_at : latest, entries: entries + more };
  if (goes_on) marks.pop();
  marks.push(next);
}

/** Adds what one chain says. The maker of a bundle wrote a restored chain: only its size counts. */
export function addChain(
  all: Evidence,
  { removed, limits, marks }: ChainEvidence,
  { chain_id, is_restored }: { readonly chain_id: string; readonly is_restored: boolean },
): void {
  all.marks.set(chain_id, marks);
  if (is_restored) return;
  all.removed = Math.max(all.removed, removed);
  for (const one of limits) all.limits.push(one);
}
