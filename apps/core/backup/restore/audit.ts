import { type Checkpoint, checkpointsOf, witnessText } from '../../audit/chain/witness.ts';
import { type AuditSeal, hashOfEntry } from '../../crypto/audit-seal.ts';
import { createWarnings, type Warnings } from '../../hosts/imports/warning-list.ts';
import { createGiveWay, type GiveWay } from '../../lib/concurrency/give-way.ts';
import { isStorable } from '../../lib/text/printable.ts';
import { type NewAuditRow, restoredInstance } from '../../model/audit/audit.ts';
import type { BackupAudit } from '../../model/backup/content.ts';
import type { AuditRepository } from '../../ports/repositories/audit.ts';
import type { BackupRows, RestoredAudit } from '../../ports/repositories/backup.ts';

interface Deps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
  readonly warnings: Warnings;
}

interface Taken {
  readonly chain: BackupAudit['chain'];
  readonly entries: readonly NewAuditRow[];
}

/** The consistent chains of a bundle, and warnings about the others. */
export interface CheckedAudit {
  readonly taken: readonly Taken[];
  readonly warnings: readonly string[];
}

/** Slow; needs only the ids of the chains that are already here. */
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

/** The bundle's chains, numbered after the existing ones and signed by this gateway; undefined if there are none. */
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
    warnings.addFirst(
      'The existing audit log is signed with another key; the audit log of the bundle was left out',
    );
    return undefined;
  }
  const isTrue = createTruth(audit, taken, ids);
  const first = (roll?.chains ?? 0) + 1;
  const heads = taken.map(async ({ chain, entries }, index) => {
    const said = checkpointsOf([chain]);
    const holds = await Promise.all(said.map(isTrue));
    const witness = witnessText(said.filter((_checkpoint, i) => holds[i]));
    const instance_id = restoredInstance(chain.instance_id);
    return { head: await seal.signHead({ ...chain, instance_id, number: first + index, witness }), entries };
  });
  return { chains: await Promise.all(heads), roll: await seal.signRoll(first - 1 + taken.length) };
}

/** Chains whose entries lead to the hash in their head. */
async function verified(wanted: readonly BackupAudit[], warnings: Warnings): Promise<Taken[]> {
  const giveWay = createGiveWay();
  const taken: Taken[] = [];
  for (const { chain, entries } of wanted) {
    const rows = await hashed({ chain, entries }, giveWay);
    const is_whole =
      rows.length === chain.entries &&
      (rows.at(-1)?.hash ?? '') === chain.last_hash &&
      [chain, ...entries].every(isKept);
    if (is_whole) taken.push({ chain, entries: rows });
    else warnings.addFirst(`Audit chain ${chain.number} does not match its own hashes and was left out`);
  }
  return taken;
}

/** The database would change other texts, and every verification would then report them. */
function isKept(fields: object): boolean {
  return Object.values(fields).every((value) => typeof value !== 'string' || isStorable(value));
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

/** Drops a chain that differs from a checkpoint of it in another chain. */
function withoutContradicted(taken: readonly Taken[], warnings: Warnings): Taken[] {
  const said = new Map<string, Checkpoint[]>();
  for (const checkpoint of checkpointsOf(taken.map(({ chain }) => chain))) {
    said.set(checkpoint.chain_id, [...(said.get(checkpoint.chain_id) ?? []), checkpoint]);
  }
  return taken.filter(({ chain, entries }) => {
    const fits = (said.get(chain.id) ?? []).every(({ seq, hash }) => entries[seq - 1]?.hash === hash);
    if (!fits)
      warnings.addFirst(
        `Audit chain ${chain.number} does not match the checkpoints of later chains and was left out`,
      );
    return fits;
  });
}

/** Tells whether a checkpoint will hold in a later verification. */
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
