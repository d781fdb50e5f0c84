import { type AuditSeal, hashOfEntry } from '../crypto/audit-seal.ts';
import type { AuditChainRow, AuditVerdict, ScannedAuditRow } from '../model/audit.ts';
import type { AuditRepository } from '../ports/repositories/audit.ts';
import type { Checkpoint } from './checkpoints.ts';

const PAGE = 250; // rows hashed before the event loop runs again

/** A failed check; `id` is null when no entry is left to name. */
export interface Finding {
  readonly id: number | null;
  readonly reason: NonNullable<AuditVerdict['reason']>;
}

interface Deps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
}

interface Checked {
  /** Entries that passed. */
  readonly entries: number;
  readonly finding?: Finding;
}

/** Verifies a chain against its head and against the checkpoints in later chains. */
export async function verifyChain(
  { audit, seal }: Deps,
  chain: AuditChainRow,
  checkpoints: readonly Checkpoint[],
): Promise<Checked> {
  const expected = new Map(checkpoints.map(({ seq, hash }) => [seq, hash]));
  const { last, finding } = await readThrough(audit, chain, expected);
  const entries = last?.seq ?? 0;
  if (finding) return { entries, finding };
  const id = last?.id ?? null;
  if (!(await seal.isGenuineHead(chain))) return { entries, finding: { id, reason: 'head_forged' } };
  const longest = Math.max(chain.entries, ...expected.keys());
  if (entries < longest) return { entries, finding: { id, reason: 'cut_off' } };
  if ((last?.hash ?? '') !== chain.last_hash) return { entries, finding: { id, reason: 'edited' } };
  return { entries };
}

interface ReadThrough {
  /** The last entry that passed. */
  readonly last: ScannedAuditRow | undefined;
  readonly finding?: Finding;
}

/** Reads as many entries as the head counts, page by page; later ones are ignored. */
async function readThrough(
  audit: AuditRepository,
  { id, entries }: AuditChainRow,
  expected: ReadonlyMap<number, string>,
): Promise<ReadThrough> {
  let last: ScannedAuditRow | undefined;
  for (let seq = 0; seq < entries; seq = last.seq) {
    const rows = await audit.scan(id, seq, Math.min(PAGE, entries - seq));
    const finding = await firstMisfit(rows, last, expected);
    if (finding) return { last, finding };
    const end = rows.at(-1);
    if (!end) break;
    last = end;
  }
  return { last };
}

/** Checks each row against the stored hash of the row before it, so that a page can be hashed in parallel. */
async function firstMisfit(
  rows: readonly ScannedAuditRow[],
  before: ScannedAuditRow | undefined,
  expected: ReadonlyMap<number, string>,
): Promise<Finding | undefined> {
  const previous = [before, ...rows.slice(0, -1)];
  const hashes = await Promise.all(rows.map((row, i) => hashOfEntry(row, previous[i]?.hash ?? '')));
  for (const [i, row] of rows.entries()) {
    const { seq = 0, id = 0 } = previous[i] ?? {};
    if (row.seq !== seq + 1) return { id: row.id, reason: 'removed' };
    const hash = expected.get(row.seq) ?? hashes[i];
    const is_kept = row.hash === hashes[i] && row.hash === hash && row.is_findable;
    if (!is_kept || row.id <= id) return { id: row.id, reason: 'edited' };
  }
  return undefined;
}
