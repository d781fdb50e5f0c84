import { z } from 'zod';
import type { AuditCheckpoint, AuditTrimRow } from '../model/audit.ts';
import type { AuditCut } from '../ports/repositories/audit.ts';

const Cuts = z.array(z.tuple([z.string(), z.int(), z.string()]));

/** Where each chain begins, by chain; a chain without a cut begins with its first entry. */
export function cutsOf(trim: Pick<AuditTrimRow, 'cuts'> | undefined): Map<string, AuditCut> {
  if (!trim) return new Map();
  const cuts = Cuts.safeParse(jsonOf(trim.cuts)); // in another format, its signature does not fit either
  return new Map((cuts.data ?? []).map(([chain_id, seq, hash]) => [chain_id, { chain_id, seq, hash }]));
}

export function cutsText(cuts: Iterable<AuditCut>): string {
  return JSON.stringify([...cuts].map(({ chain_id, seq, hash }) => [chain_id, seq, hash]));
}

export function toCheckpoint(trim: AuditTrimRow | undefined): AuditCheckpoint | null {
  if (!trim) return null;
  const { removed, last_id, until, removed_at } = trim;
  return { removed, last_id, until, removed_at };
}

/** The detail of `audit_trimmed`; verification reads the total from it. */
export function trimmedDetail(count: number, { removed, until }: AuditTrimRow): string {
  return `entries: ${count}, until ${until}, in all: ${removed}`;
}

/** The number of entries that had been removed when this entry was recorded; 0 if it is about something else. */
export function recordedTotal({ action, detail }: { action: string; detail: string }): number {
  if (action !== 'audit_trimmed') return 0;
  return Number(/ in all: (\d+)(; written late)?$/.exec(detail)?.[1] ?? 0);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
