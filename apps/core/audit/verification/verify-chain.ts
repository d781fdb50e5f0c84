import type { AuditSeal } from '../../crypto/audit-seal.ts';
import type { AuditChainRow, AuditVerdict, ScannedAuditRow } from '../../model/audit/audit.ts';
import type { AuditRepository } from '../../ports/repositories/audit.ts';
import type { Checkpoint } from '../chain/witness.ts';
import { type ChainEvidence, collect, noEvidence } from '../retention/evidence.ts';
import type { Pass, Place } from './pass.ts';

const PAGE = 250; // rows hashed before the event loop runs again

/** A failed check; `id` is null when no entry is left to name. */
export interface Finding {
  readonly id: number | null;
  readonly reason: NonNullable<AuditVerdict['reason']>;
}

/** Receives entries that are what was recorded, but that filters and searches may miss. */
export type OnUnfindable = (rows: readonly ScannedAuditRow[]) => Promise<void>;

interface Deps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
  readonly signal: AbortSignal | undefined;
  readonly onUnfindable: OnUnfindable | undefined;
  readonly passed: Pass['passed'];
}

export interface Checked {
  /** Entries that passed. */
  readonly entries: number;
  readonly evidence: ChainEvidence;
  readonly finding?: Finding;
}

/** Verifies a chain from a place in it against its head and against the checkpoints in later chains. */
export async function verifyChain(
  deps: Deps,
  chain: AuditChainRow,
  { checkpoints, start }: { readonly checkpoints: readonly Checkpoint[]; readonly start: Place },
): Promise<Checked> {
  const expected = new Map(checkpoints.map(({ seq, hash }) => [seq, hash]));
  const { last, evidence, finding } = await readThrough(deps, chain, { expected, start });
  const checked = { entries: last.seq - start.seq, evidence };
  const failed = (reason: Finding['reason']) => ({ ...checked, finding: { id: last.id || null, reason } });
  if (finding) return { ...checked, finding };
  if (!(await deps.seal.isGenuineHead(chain))) return failed('head_forged');
  const longest = Math.max(chain.entries, ...expected.keys());
  if (last.seq < longest) return failed('cut_off');
  if (last.hash !== chain.last_hash) return failed('edited');
  return checked;
}

type Passed = Pick<ScannedAuditRow, 'id' | 'seq' | 'hash'>;

interface ReadThrough {
  /** The last entry that passed, or the start. */
  readonly last: Passed;
  readonly evidence: ChainEvidence;
  readonly finding?: Finding;
}

/** Reads as many entries as the head counts, page by page; later ones are ignored. */
async function readThrough(
  { audit, seal, signal, onUnfindable, passed }: Deps,
  chain: AuditChainRow,
  { expected, start }: { readonly expected: ReadonlyMap<number, string>; readonly start: Place },
): Promise<ReadThrough> {
  const { id, entries } = chain;
  let last: Passed = { id: 0, ...start };
  const evidence = noEvidence();
  const pageAfter = async (seq: number) =>
    seq < entries ? audit.scan(id, seq, Math.min(PAGE, entries - seq)) : [];
  let next = pageAfter(last.seq);
  while (last.seq < entries) {
    signal?.throwIfAborted();
    const rows = await next;
    next = pageAfter(rows.at(-1)?.seq ?? entries); // the database reads it while this one is hashed
    next.catch(() => undefined); // the await above throws a failure; after a finding, nobody reads this page
    const finding = await firstMisfit(seal, { rows, before: last, expected });
    if (finding) return { last, evidence, finding };
    const end = rows.at(-1);
    if (!end) break;
    const hidden = rows.filter(({ is_findable }) => !is_findable);
    if (hidden.length > 0) await onUnfindable?.(hidden);
    collect(evidence, rows);
    last = end;
    await passed(chain, { seq: end.seq, hash: end.hash, rows: rows.length, evidence });
  }
  return { last, evidence };
}

interface Page {
  readonly rows: readonly ScannedAuditRow[];
  readonly before: Passed;
  readonly expected: ReadonlyMap<number, string>;
}

/** Checks each row against the stored hash of the row before it, so that a page can be hashed in parallel. */
async function firstMisfit(seal: AuditSeal, { rows, before, expected }: Page): Promise<Finding | undefined> {
  const previous = [before, ...rows.slice(0, -1)];
  const hashes = await Promise.all(rows.map((row, i) => seal.hashOf(row, previous[i]?.hash ?? '')));
  for (const [i, row] of rows.entries()) {
    const { seq = 0, id = 0 } = previous[i] ?? {};
    if (row.seq !== seq + 1) return { id: row.id, reason: 'removed' };
    const hash = expected.get(row.seq) ?? hashes[i];
    const is_kept = row.hash === hashes[i] && row.hash === hash;
    if (!is_kept || row.id <= id) return { id: row.id, reason: 'edited' };
  }
  return undefined;
}
