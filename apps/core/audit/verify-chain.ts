import { type AuditSeal, hashOfEntry } from '../crypto/audit-seal.ts';
import type { AuditChainRow, AuditVerdict, ScannedAuditRow } from '../model/audit.ts';
import type { AuditCut, AuditRepository } from '../ports/repositories/audit.ts';
import type { Checkpoint } from './checkpoints.ts';
import { type ChainTold, listen, nothingTold } from './told.ts';

const PAGE = 100; // rows hashed before the event loop runs again

/** A failed check; `id` is null when no entry is left to name. */
export interface Finding {
  readonly id: number | null;
  readonly reason: NonNullable<AuditVerdict['reason']>;
}

/** Receives entries that are what was recorded, but that filters and searches may miss. */
export type OnHidden = (rows: readonly ScannedAuditRow[]) => Promise<void>;

interface Deps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
  readonly signal: AbortSignal | undefined;
  readonly onHidden: OnHidden | undefined;
}

export interface Checked {
  /** Entries that passed. */
  readonly entries: number;
  readonly told: ChainTold;
  readonly finding?: Finding;
}

/** Verifies a chain behind its cut against its head and against the checkpoints in later chains. */
export async function verifyChain(
  deps: Deps,
  chain: AuditChainRow,
  { checkpoints, cut }: { readonly checkpoints: readonly Checkpoint[]; readonly cut: Start },
): Promise<Checked> {
  const expected = new Map(checkpoints.map(({ seq, hash }) => [seq, hash]));
  const { last, told, finding } = await readThrough(deps, chain, { expected, cut });
  const checked = { entries: last.seq - cut.seq, told };
  const failed = (reason: Finding['reason']) => ({ ...checked, finding: { id: last.id || null, reason } });
  if (finding) return { ...checked, finding };
  if (!(await deps.seal.isGenuineHead(chain))) return failed('head_forged');
  const longest = Math.max(chain.entries, ...expected.keys());
  if (last.seq < longest) return failed('cut_off');
  if (last.hash !== chain.last_hash) return failed('edited');
  return checked;
}

type Start = Pick<AuditCut, 'seq' | 'hash'>;
type Passed = Pick<ScannedAuditRow, 'id' | 'seq' | 'hash'>;

interface ReadThrough {
  /** The last entry that passed, or the cut. */
  readonly last: Passed;
  readonly told: ChainTold;
  readonly finding?: Finding;
}

/** Reads as many entries as the head counts, page by page; later ones are ignored. */
async function readThrough(
  { audit, signal, onHidden }: Deps,
  { id, entries }: AuditChainRow,
  { expected, cut }: { readonly expected: ReadonlyMap<number, string>; readonly cut: Start },
): Promise<ReadThrough> {
  let last: Passed = { id: 0, seq: cut.seq, hash: cut.hash };
  const told = nothingTold();
  while (last.seq < entries) {
    signal?.throwIfAborted();
    const rows = await audit.scan(id, last.seq, Math.min(PAGE, entries - last.seq));
    const finding = await firstMisfit(rows, last, expected);
    if (finding) return { last, told, finding };
    const end = rows.at(-1);
    if (!end) break;
    const hidden = rows.filter(({ is_findable }) => !is_findable);
    if (hidden.length > 0) await onHidden?.(hidden);
    listen(told, rows);
    last = end;
  }
  return { last, told };
}

/** Checks each row against the stored hash of the row before it, so that a page can be hashed in parallel. */
async function firstMisfit(
  rows: readonly ScannedAuditRow[],
  before: Passed,
  expected: ReadonlyMap<number, string>,
): Promise<Finding | undefined> {
  const previous = [before, ...rows.slice(0, -1)];
  const hashes = await Promise.all(rows.map((row, i) => hashOfEntry(row, previous[i]?.hash ?? '')));
  for (const [i, row] of rows.entries()) {
    const { seq = 0, id = 0 } = previous[i] ?? {};
    if (row.seq !== seq + 1) return { id: row.id, reason: 'removed' };
    const hash = expected.get(row.seq) ?? hashes[i];
    const is_kept = row.hash === hashes[i] && row.hash === hash;
    if (!is_kept || row.id <= id) return { id: row.id, reason: 'edited' };
  }
  return undefined;
}
