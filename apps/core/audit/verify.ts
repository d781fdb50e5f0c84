import type { AuditSeal } from '../crypto/audit-seal.ts';
import { type AuditChainRow, type AuditVerdict, isRestored } from '../model/audit.ts';
import type { AuditRepository } from '../ports/repositories/audit.ts';
import { checkpointsOf } from './checkpoints.ts';
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
  for (const chain of chains) {
    const own = checkpoints.filter(({ chain_id }) => chain_id === chain.id);
    const found = await verifyChain({ audit, seal }, chain, own);
    entries += found.entries;
    if (isRestored(chain)) restored += found.entries;
    if (found.finding) findings.push(found.finding);
  }
  const stray = await audit.firstStray();
  if (stray !== undefined) findings.push({ id: stray, reason: 'added' });
  const first = findings.sort(byId)[0];
  return { ok: !first, entries, restored, first_bad_id: first?.id ?? null, reason: first?.reason ?? null };
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
