import { z } from 'zod';
import type { AuditCheckpoint, AuditTrimRow } from '../../model/audit/audit.ts';
import type { AuditCut } from '../../ports/repositories/audit.ts';
import { LIMIT_KEYS, type RecordedLimits } from './limits.ts';

const Cuts = z.array(z.tuple([z.string(), z.int().min(1), z.string()]));
const Recorded = z.partialRecord(z.enum(LIMIT_KEYS), z.object({ value: z.int(), at: z.string() }));

/** Where each chain begins, by chain; a chain without a cut begins with its first entry. */
export function cutsOf(trim: Pick<AuditTrimRow, 'cuts'> | undefined): Map<string, AuditCut> {
  const cuts = Cuts.safeParse(jsonOf(trim?.cuts)); // in another format, its signature does not fit either
  return new Map((cuts.data ?? []).map(([chain_id, seq, hash]) => [chain_id, { chain_id, seq, hash }]));
}

export function cutsText(cuts: Iterable<AuditCut>): string {
  return JSON.stringify([...cuts].map(({ chain_id, seq, hash }) => [chain_id, seq, hash]));
}

/** Chains are removed from their beginning, so the position of a cut is the number of entries before it. */
export function removedBy(trim: Pick<AuditTrimRow, 'cuts'> | undefined): number {
  return [...cutsOf(trim).values()].reduce((sum, { seq }) => sum + seq, 0);
}

/** The limits that the removed entries and their checkpoint had recorded. */
export function limitsOf(trim: Pick<AuditTrimRow, 'limits'> | undefined): RecordedLimits {
  return Recorded.safeParse(jsonOf(trim?.limits)).data ?? {};
}

export function toCheckpoint(trim: AuditTrimRow | undefined): AuditCheckpoint | null {
  return trim ? { removed: removedBy(trim), until: trim.until, removed_at: trim.removed_at } : null;
}

/** The detail of `audit_trimmed`; verification reads the number from it. */
export function trimmedDetail(trim: AuditTrimRow): string {
  return `until ${trim.until}, in all: ${removedBy(trim)}`;
}

/** The number of entries that had been removed when this entry was recorded; 0 if it is about something else. */
export function recordedTotal({ action, detail }: { action: string; detail: string }): number {
  if (action !== 'audit_trimmed') return 0;
  return Number(/ in all: (\d+)(; written late)?$/.exec(detail)?.[1] ?? 0);
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
