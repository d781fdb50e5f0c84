import { type Checkpoint, checkpointsOf, checkpointText } from '../../audit/checkpoints.ts';
import { type AuditSeal, hashOfEntry } from '../../crypto/audit-seal.ts';
import { createWarnings, type Warnings } from '../../hosts/imports/warning-list.ts';
import { createGiveWay, type GiveWay } from '../../lib/give-way.ts';
import { type NewAuditRow, restoredInstance } from '../../model/audit.ts';
import type { BackupAudit } from '../../model/backup-content.ts';
import type { BackupRows, RestoredAudit } from '../../ports/backup.ts';
import type { AuditRepository } from '../../ports/repositories.ts';

interface Deps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
  readonly warnings: Warnings;
}

interface Taken {
  readonly chain: BackupAudit['chain'];
  readonly entries: readonly NewAuditRow[];
}

/** Chains of a bundle that are whole by themselves, and what is to be said of the others. */
export interface CheckedAudit {
  readonly taken: readonly Taken[];
  readonly warnings: readonly string[];
}

/** Takes long, and needs nothing of what is here but which chains are not missing. */
export async function checkAudit(
  wanted: readonly BackupAudit[],
  here: ReadonlySet<string>,
): Promise<CheckedAudit> {
  const warnings = createWarnings();
  const missing = wanted
    .filter(({ chain }) => !here.has(chain.id))
    .toSorted((a, b) => a.chain.number - b.chain.number);
  const taken = withoutContradicted(await verified(missing, warnings), warnings);
  return { taken, warnings: warnings.list() };
}

/** The chains of a bundle behind those that are here, signed by this gateway; undefined when there is none to take. */
export async function planAudit(
  checked: CheckedAudit,
  { chains, roll }: Pick<BackupRows, 'chains' | 'roll'>,
  { audit, seal, warnings }: Deps,
): Promise<RestoredAudit | undefined> {
  const ids = new Set(chains.map(({ id }) => id));
  warnings.addFirst(...checked.warnings);
  const taken = checked.taken.filter(({ chain }) => !ids.has(chain.id));
  if (taken.length === 0) return undefined;
  if (roll && !(await seal.isGenuineRoll(roll))) {
    warnings.addFirst('The audit log here is signed with another key: that of the bundle was left out');
    return undefined;
  }
  const isTrue = createTruth(audit, taken, ids);
  const first = (roll?.chains ?? 0) + 1;
  const heads = taken.map(async ({ chain, entries }, index) => {
    const said = checkpointsOf([chain]);
    const holds = await Promise.all(said.map(isTrue));
    const witness = checkpointText(said.filter((_checkpoint, i) => holds[i]));
    const instance_id = restoredInstance(chain.instance_id);
    return { head: await seal.signHead({ ...chain, instance_id, number: first + index, witness }), entries };
  });
  return { chains: await Promise.all(heads), roll: await seal.signRoll(first - 1 + taken.length) };
}

/** Those whose entries lead to the hash that their head has. */
async function verified(wanted: readonly BackupAudit[], warnings: Warnings): Promise<Taken[]> {
  const giveWay = createGiveWay();
  const taken: Taken[] = [];
  for (const { chain, entries } of wanted) {
    const rows = await hashed({ chain, entries }, giveWay);
    const is_whole = rows.length === chain.entries && (rows.at(-1)?.hash ?? '') === chain.last_hash;
    if (is_whole) taken.push({ chain, entries: rows });
    else warnings.addFirst(`Audit chain ${chain.number} does not fit its own hashes and was left out`);
  }
  return taken;
}

async function hashed({ chain, entries }: BackupAudit, giveWay: GiveWay): Promise<NewAuditRow[]> {
  const rows: NewAuditRow[] = [];
  for (const entry of entries) {
    await giveWay();
    const placed = { ...entry, chain_id: chain.id, seq: rows.length + 1 };
    rows.push({ ...placed, hash: await hashOfEntry(placed, rows.at(-1)?.hash ?? '') });
  }
  return rows;
}

/** Where one chain saw another one otherwise than it is now, the other one was changed. */
function withoutContradicted(taken: readonly Taken[], warnings: Warnings): Taken[] {
  const said = new Map<string, Checkpoint[]>();
  for (const checkpoint of checkpointsOf(taken.map(({ chain }) => chain))) {
    said.set(checkpoint.chain_id, [...(said.get(checkpoint.chain_id) ?? []), checkpoint]);
  }
  return taken.filter(({ chain, entries }) => {
    const fits = (said.get(chain.id) ?? []).every(({ seq, hash }) => entries[seq - 1]?.hash === hash);
    if (!fits)
      warnings.addFirst(`Audit chain ${chain.number} is not what later ones saw of it and was left out`);
    return fits;
  });
}

/** Whether a later check would find what a chain says of another one. */
function createTruth(audit: AuditRepository, taken: readonly Taken[], here: ReadonlySet<string>) {
  const own = new Map(taken.map(({ chain, entries }) => [chain.id, entries]));
  return async ({ chain_id, seq, hash }: Checkpoint): Promise<boolean> => {
    const entries = own.get(chain_id);
    if (entries) return entries[seq - 1]?.hash === hash;
    if (!here.has(chain_id)) return false;
    const [entry] = await audit.scan(chain_id, seq - 1, 1);
    return entry?.seq === seq && entry.hash === hash;
  };
}
