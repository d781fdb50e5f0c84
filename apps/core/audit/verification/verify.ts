import {
  type AuditChainRow,
  type AuditTrimRow,
  type AuditVerdict,
  isRestored,
} from '../../model/audit/audit.ts';
import { type Checkpoint, checkpointsOf } from '../chain/witness.ts';
import { cutsOf, removedBy, toCheckpoint } from '../retention/checkpoint.ts';
import { addChain, type Evidence } from '../retention/evidence.ts';
import { beginPass, type Pass, type PassDeps, type Place, type Reading } from './pass.ts';
import { type Checked, type Finding, type OnUnfindable, verifyChain } from './verify-chain.ts';

interface Deps extends PassDeps {
  readonly onUnfindable?: OnUnfindable;
}

/** The result, and what it rests on. */
export interface Verification {
  readonly verdict: AuditVerdict;
  readonly evidence: Evidence;
  readonly trim: AuditTrimRow | undefined;
}

/** `live` is the head that this process keeps in memory. */
export async function verifyAudit(
  deps: Deps,
  live: AuditChainRow | undefined,
  reading?: Reading,
): Promise<AuditVerdict> {
  return (await readAudit(deps, live, reading)).verdict;
}

/** Verifies the log, and collects what the entries it reads say about retention. Rejects when it is aborted. */
export async function readAudit(
  deps: Deps,
  live: AuditChainRow | undefined,
  reading: Reading = {},
): Promise<Verification> {
  const { signal } = reading;
  const chains = await deps.audit.chains();
  const trim = await deps.audit.trim();
  const pass = await beginPass(deps, { chains, cuts: cutsOf(trim) }, reading);
  try {
    const verification = await readChains(deps, { chains, trim, live, pass, signal });
    await pass.end(verification.verdict.ok);
    return verification;
  } catch (error) {
    if (signal?.aborted) await pass.interrupt();
    throw error;
  }
}

interface Run {
  readonly chains: readonly AuditChainRow[];
  /** The trim at the beginning of the run. */
  readonly trim: AuditTrimRow | undefined;
  readonly live: AuditChainRow | undefined;
  readonly pass: Pass;
  readonly signal: AbortSignal | undefined;
}

async function readChains(deps: Deps, run: Run): Promise<Verification> {
  const { audit } = deps;
  const { chains, live, pass } = run;
  const checkpoints = checkpointsOf(chains);
  const findings = [
    ...missingNumbers(chains),
    ...missingWitnessed(chains),
    ...cutSince(chains, live),
    ...(await rollFindings(deps, chains)),
  ];
  const read = createReader(deps, run);
  const evidence: Evidence = { removed: pass.removed, limits: [], marks: new Map() };
  let entries = 0;
  let restored = 0;
  for (const chain of chains) {
    if (findings.length > 0) pass.fail();
    const own = checkpoints.filter(({ chain_id }) => chain_id === chain.id);
    const found = await read(chain, own);
    addChain(evidence, found.evidence, { chain_id: chain.id, is_restored: isRestored(chain) });
    entries += found.entries;
    if (isRestored(chain)) restored += found.entries;
    if (found.finding) findings.push(found.finding);
  }
  const trim = await audit.trim();
  findings.push(...(await trimFindings(deps, trim, evidence)));
  const stray = await audit.firstStray();
  if (stray !== undefined) findings.push({ id: stray, reason: 'added' });
  const first = findings.sort(byId)[0];
  const { id = null, reason = null } = first ?? {};
  const { verified_before } = pass;
  const base = { ok: !first, entries, verified_before, restored, checkpoint: toCheckpoint(trim) };
  return { verdict: { ...base, first_bad_id: id, reason }, evidence, trim };
}

type Found = Omit<Checked, 'finding'> & { readonly finding?: Finding | undefined };

/**
 * Reads chains from their cuts, or from where an earlier run stopped: once more when retention has moved a cut since it
 * was read.
 */
function createReader({ audit, seal, onUnfindable }: Deps, { pass, trim: first_trim, signal }: Run) {
  const deps = { audit, seal, signal, onUnfindable, passed: pass.passed };
  const startBehind = async (trim: AuditTrimRow | undefined) => ({
    cuts: cutsOf(trim),
    is_genuine: !trim || (await seal.isGenuineTrim(trim)),
  });
  let start: Awaited<ReturnType<typeof startBehind>> | undefined;
  return async (chain: AuditChainRow, checkpoints: readonly Checkpoint[]): Promise<Found> => {
    for (;;) {
      start ??= await startBehind(first_trim);
      const { cuts, is_genuine } = start;
      const cut = cuts.get(chain.id) ?? { seq: 0, hash: '' };
      const begin = laterOf(cut, pass.placeIn(chain.id));
      const found = await verifyChain(deps, chain, { checkpoints, start: begin });
      if (!found.finding) return is_genuine ? found : { ...found, finding: CHECKPOINT_FORGED };
      start = await startBehind(await audit.trim());
      if ((start.cuts.get(chain.id)?.seq ?? 0) <= cut.seq) return found;
    }
  };
}

function laterOf(cut: Place, place = cut): Place {
  return place.seq > cut.seq ? place : cut;
}

async function trimFindings(
  { audit, seal }: Deps,
  trim: AuditTrimRow | undefined,
  evidence: Evidence,
): Promise<Finding[]> {
  const cuts = cutsOf(trim);
  const is_genuine = !trim || (await seal.isGenuineTrim(trim));
  const is_set_back = removedBy(trim) < evidence.removed;
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
