import { type AuditSeal, hashOfEntry } from '../crypto/audit-seal.ts';
import type { AuditChainRow, AuditVerdict, ScannedAuditRow } from '../model/audit.ts';
import type { AuditRepository } from '../ports/repositories.ts';

const PAGE = 2000;

type Reason = NonNullable<AuditVerdict['reason']>;

interface Finding {
  readonly id: number | null;
  readonly reason: Reason;
}

interface Deps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
}

/** Reads the whole log and holds it against its chains; `live` is the head that this process remembers. */
export async function verifyAudit(
  { audit, seal }: Deps,
  live: AuditChainRow | undefined,
): Promise<AuditVerdict> {
  const chains = await audit.chains();
  const findings: Finding[] = await missingChains({ audit, seal }, chains, live);
  let entries = 0;
  for (const chain of chains) {
    const found = await verifyChain({ audit, seal }, chain);
    entries += found.entries;
    if (found.finding) findings.push(found.finding);
  }
  const stray = await audit.firstStray();
  if (stray !== undefined) findings.push({ id: stray, reason: 'added' });
  const first = findings.sort(byId)[0];
  return { ok: !first, entries, first_bad_id: first?.id ?? null, reason: first?.reason ?? null };
}

async function missingChains(
  { audit, seal }: Deps,
  chains: readonly AuditChainRow[],
  live: AuditChainRow | undefined,
): Promise<Finding[]> {
  const roll = await audit.roll(); // after the chains: one that was opened in between is on it, and may be missing above
  const findings: Finding[] = [];
  const known = new Set(chains.map(({ number }) => number));
  const last = Math.max(0, ...known);
  for (let number = 1; number < last; number += 1) {
    if (!known.has(number)) findings.push({ id: null, reason: 'chain_removed' });
  }
  const is_genuine = roll ? await seal.isGenuineRoll(roll) : chains.length === 0;
  if (!is_genuine) findings.push({ id: null, reason: 'head_forged' });
  if (roll && roll.chains > last && (await audit.chains()).length <= chains.length) {
    findings.push({ id: null, reason: 'chain_removed' });
  }
  const stored = chains.find(({ id }) => id === live?.id);
  if (live && (stored?.entries ?? 0) < live.entries) {
    findings.push({ id: null, reason: stored ? 'cut_off' : 'chain_removed' });
  }
  return findings;
}

async function verifyChain(
  { audit, seal }: Deps,
  chain: AuditChainRow,
): Promise<{ entries: number; finding?: Finding }> {
  let last: ScannedAuditRow | undefined;
  while ((last?.seq ?? 0) < chain.entries) {
    const rows = await audit.scan(chain.id, last?.seq ?? 0, Math.min(PAGE, chain.entries - (last?.seq ?? 0)));
    if (rows.length === 0) break;
    const finding = await firstMisfit(rows, last);
    if (finding) return { entries: last?.seq ?? 0, finding };
    last = rows.at(-1);
  }
  const entries = last?.seq ?? 0;
  const id = last?.id ?? null;
  if (!(await seal.isGenuineHead(chain))) return { entries, finding: { id, reason: 'head_forged' } };
  if (entries < chain.entries) return { entries, finding: { id, reason: 'cut_off' } };
  if ((last?.hash ?? '') !== chain.last_hash) return { entries, finding: { id, reason: 'edited' } };
  return { entries };
}

/** Each row is held against the hash that is stored before it, so that a page is hashed at once. */
async function firstMisfit(
  rows: readonly ScannedAuditRow[],
  before: ScannedAuditRow | undefined,
): Promise<Finding | undefined> {
  const hashes = await Promise.all(
    rows.map((row, i) => hashOfEntry(row, (i === 0 ? before : rows[i - 1])?.hash ?? '')),
  );
  for (const [i, row] of rows.entries()) {
    if (row.seq !== (before?.seq ?? 0) + i + 1) return { id: row.id, reason: 'removed' };
    if (row.hash !== hashes[i] || !row.is_findable) return { id: row.id, reason: 'edited' };
  }
  return undefined;
}

/** Those that name an entry first, in the order of the log. */
function byId(a: Finding, b: Finding): number {
  return (a.id ?? Number.POSITIVE_INFINITY) < (b.id ?? Number.POSITIVE_INFINITY) ? -1 : 1;
}
