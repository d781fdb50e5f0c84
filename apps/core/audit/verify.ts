import type { AuditSeal } from '../crypto/audit-seal.ts';
import { type AuditChainRow, type AuditTrimRow, type AuditVerdict, isRestored } from '../model/audit.ts';
import type { AuditRepository } from '../ports/repositories/audit.ts';
import { type Checkpoint, checkpointsOf } from './checkpoints.ts';
import { cutsOf, toCheckpoint } from './cuts.ts';
import { type Finding, verifyChain } from './verify-chain.ts';

interface Deps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
}

/** Verifies the whole log; `live` is the head that this process keeps in memory. */
export async function verifyAudit(
  { audit, seal }: Deps,
  live: AuditChainRow | undefined,
): Promise<AuditVerdict> {
  const chains = await audit.chains();
  const findings = [
    ...missingNumbers(chains),
    ...missingWitnessed(chains),
    ...cutSince(chains, live),
    ...(await rollFindings({ audit, seal }, chains)),
  ];
  const checkpoints = checkpointsOf(chains);
  let entries = 0;
  let restored = 0;
  let removed = 0;
  for (const chain of chains) {
    const own = checkpoints.filter(({ chain_id }) => chain_id === chain.id);
    const found = await verifyKept({ audit, seal }, chain, own);
    entries += found.entries;
    removed = Math.max(removed, found.removed);
    if (isRestored(chain)) restored += found.entries;
    if (found.finding) findings.push(found.finding);
  }
  const trim = await audit.trim();
  findings.push(...(await trimFindings({ audit, seal }, trim, { removed, checkpoints })));
  const stray = await audit.firstStray();
  if (stray !== undefined) findings.push({ id: stray, reason: 'added' });
  const first = findings.sort(byId)[0];
  const { id = null, reason = null } = first ?? {};
  return { ok: !first, entries, restored, checkpoint: toCheckpoint(trim), first_bad_id: id, reason };
}

/** Again when retention has removed the beginning of the chain since its cut was read. */
async function verifyKept({ audit, seal }: Deps, chain: AuditChainRow, own: readonly Checkpoint[]) {
  const cutNow = async () => cutsOf(await audit.trim()).get(chain.id) ?? { seq: 0, hash: '' };
  for (let cut = await cutNow(); ; ) {
    const found = await verifyChain({ audit, seal }, chain, own, cut);
    const { seq: before } = cut;
    cut = await cutNow();
    if (!found.finding || cut.seq <= before) return found;
  }
}

interface Told {
  /** The most removed entries that an entry of the log counts. */
  readonly removed: number;
  readonly checkpoints: readonly Checkpoint[];
}

async function trimFindings(
  { audit, seal }: Deps,
  trim: AuditTrimRow | undefined,
  { removed, checkpoints }: Told,
): Promise<Finding[]> {
  const cuts = cutsOf(trim);
  const is_genuine = !trim || (await seal.isGenuineTrim(trim));
  const is_set_back = (trim?.removed ?? 0) < removed;
  const contradicts = ({ chain_id, seq, hash }: Checkpoint) => {
    const cut = cuts.get(chain_id);
    return cut?.seq === seq && cut.hash !== hash;
  };
  const is_forged = !is_genuine || is_set_back || checkpoints.some(contradicts);
  const again = await audit.firstUpTo([...cuts.values()]);
  return [
    ...(is_forged ? [{ id: null, reason: 'checkpoint_forged' } as const] : []),
    ...(again === undefined ? [] : [{ id: again, reason: 'added' } as const]),
  ];
}

function missingNumbers(chains: readonly AuditChainRow[]): Finding[] {
  return chains.every(({ number }, i) => number === i + 1) ? [] : [CHAIN_REMOVED];
}

function missingWitnessed(chains: readonly AuditChainRow[]): Finding[] {
  const ids = new Set(chains.map(({ id }) => id));
  return checkpointsOf(chains).every(({ chain_id }) => ids.has(chain_id)) ? [] : [CHAIN_REMOVED];
}

function cutSince(chains: readonly AuditChainRow[], live: AuditChainRow | undefined): Finding[] {
  if (!live) return [];
  const stored = chains.find(({ id }) => id === live.id);
  if (!stored) return [CHAIN_REMOVED];
  return stored.entries < live.entries ? [{ id: null, reason: 'cut_off' }] : [];
}

async function rollFindings({ audit, seal }: Deps, chains: readonly AuditChainRow[]): Promise<Finding[]> {
  const roll = await audit.roll();
  // Every gateway records its start, so an empty log has been cleared.
  if (!roll) return [chains.length === 0 ? CHAIN_REMOVED : { id: null, reason: 'head_forged' }];
  if (!(await seal.isGenuineRoll(roll))) return [{ id: null, reason: 'head_forged' }];
  if (roll.chains <= chains.length) return [];
  // Another instance may have opened a chain since the chains were read.
  return (await audit.chains()).length < roll.chains ? [CHAIN_REMOVED] : [];
}

const CHAIN_REMOVED: Finding = { id: null, reason: 'chain_removed' };

/** Findings that name an entry first, in log order. */
function byId(a: Finding, b: Finding): number {
  return (a.id ?? Number.POSITIVE_INFINITY) - (b.id ?? Number.POSITIVE_INFINITY) || 0;
}
