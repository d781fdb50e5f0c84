import type { AuditSeal } from '../crypto/audit-seal.ts';
import { type AuditChainRow, type AuditTrimRow, type AuditVerdict, isRestored } from '../model/audit.ts';
import type { AuditRepository } from '../ports/repositories/audit.ts';
import { type Checkpoint, checkpointsOf } from './checkpoints.ts';
import { cutsOf, removedBy, toCheckpoint } from './cuts.ts';
import { merge, type Told } from './told.ts';
import { type Checked, type Finding, type OnHidden, verifyChain } from './verify-chain.ts';

interface Deps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
  readonly onHidden?: OnHidden;
}

/** The result, and what it rests on. */
export interface Verification {
  readonly verdict: AuditVerdict;
  readonly told: Told;
  readonly trim: AuditTrimRow | undefined;
}

/** `live` is the head that this process keeps in memory. */
export async function verifyAudit(deps: Deps, live: AuditChainRow | undefined): Promise<AuditVerdict> {
  return (await readAudit(deps, live)).verdict;
}

/** Requests that come while a verification runs share it. */
export function createVerifier(verify: () => Promise<Verification>): () => Promise<AuditVerdict> {
  let running: Promise<Verification> | undefined;
  return async () => {
    running ??= verify().finally(() => {
      running = undefined;
    });
    return (await running).verdict;
  };
}

/** Verifies the whole log, and collects what it says about retention. Rejects when it is aborted. */
export async function readAudit(
  deps: Deps,
  live: AuditChainRow | undefined,
  signal?: AbortSignal,
): Promise<Verification> {
  const { audit } = deps;
  const chains = await audit.chains();
  const checkpoints = checkpointsOf(chains);
  const findings = [
    ...missingNumbers(chains),
    ...missingWitnessed(chains),
    ...cutSince(chains, live),
    ...(await rollFindings(deps, chains)),
  ];
  const read = createReader(deps, signal);
  const told: Told = { removed: 0, limits: [], marks: new Map() };
  let entries = 0;
  let restored = 0;
  for (const chain of chains) {
    const own = checkpoints.filter(({ chain_id }) => chain_id === chain.id);
    const found = await read(chain, own);
    merge(told, found.told, { chain_id: chain.id, is_restored: isRestored(chain) });
    entries += found.entries;
    if (isRestored(chain)) restored += found.entries;
    if (found.finding) findings.push(found.finding);
  }
  const trim = await audit.trim();
  findings.push(...(await trimFindings(deps, trim, told)));
  const stray = await audit.firstStray();
  if (stray !== undefined) findings.push({ id: stray, reason: 'added' });
  const first = findings.sort(byId)[0];
  const { id = null, reason = null } = first ?? {};
  const checkpoint = toCheckpoint(trim);
  const verdict = { ok: !first, entries, restored, checkpoint, first_bad_id: id, reason };
  return { verdict, told, trim };
}

type Found = Omit<Checked, 'finding'> & { readonly finding?: Finding | undefined };

/** Reads chains from their cuts: once more when retention has moved a cut since it was read. */
function createReader({ audit, seal, onHidden }: Deps, signal: AbortSignal | undefined) {
  const startNow = async () => {
    const trim = await audit.trim();
    return { cuts: cutsOf(trim), is_genuine: !trim || (await seal.isGenuineTrim(trim)) };
  };
  let start: Awaited<ReturnType<typeof startNow>> | undefined;
  return async (chain: AuditChainRow, checkpoints: readonly Checkpoint[]): Promise<Found> => {
    for (;;) {
      start ??= await startNow();
      const { cuts, is_genuine } = start;
      const cut = cuts.get(chain.id) ?? { seq: 0, hash: '' };
      const found = await verifyChain({ audit, seal, signal, onHidden }, chain, { checkpoints, cut });
      if (!found.finding) return is_genuine ? found : { ...found, finding: CHECKPOINT_FORGED };
      start = await startNow();
      if ((start.cuts.get(chain.id)?.seq ?? 0) <= cut.seq) return found;
    }
  };
}

async function trimFindings(
  { audit, seal }: Deps,
  trim: AuditTrimRow | undefined,
  told: Told,
): Promise<Finding[]> {
  const cuts = cutsOf(trim);
  const is_genuine = !trim || (await seal.isGenuineTrim(trim));
  const is_set_back = removedBy(trim) < told.removed;
  const is_forged = !is_genuine || is_set_back;
  const again = await audit.firstUpTo([...cuts.values()]);
  return [
    ...(is_forged ? [CHECKPOINT_FORGED] : []),
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
const CHECKPOINT_FORGED: Finding = { id: null, reason: 'checkpoint_forged' };

/** Findings that name an entry first, in log order. */
function byId(a: Finding, b: Finding): number {
  return (a.id ?? Number.POSITIVE_INFINITY) - (b.id ?? Number.POSITIVE_INFINITY) || 0;
}
