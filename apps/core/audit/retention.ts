import { type AuditSeal, hashOfEntry } from '../crypto/audit-seal.ts';
import { createGiveWay } from '../lib/give-way.ts';
import type { AuditChainRow, AuditRow, AuditTrimRow } from '../model/audit.ts';
import type { InForce, SettingValues } from '../model/setting.ts';
import type { AuditCut } from '../ports/repositories/audit.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import { cutsOf, cutsText, recordedTotal, trimmedDetail } from './cuts.ts';
import { type AuditTrail, THE_GATEWAY } from './trail.ts';

const BATCH = 250; // entries removed in one transaction
const DAY_MS = 86_400_000;

type Limits = Pick<SettingValues, 'audit_retention_days' | 'audit_max_entries'>;

/** Removes the beginning of the log and leaves a signed record of it. */
export interface AuditRetention {
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly seal: AuditSeal;
  readonly trail: AuditTrail;
  readonly settings: InForce<keyof Limits>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** An entry that must not be removed, because nobody could verify the rest any more. */
class Blocked extends Error {
  override name = 'Blocked';
}

export function createAuditRetention(deps: Deps): AuditRetention {
  const { repositories, seal, trail, settings, clock, log } = deps;
  const { audit } = repositories;
  let logged_block = '';

  async function genuineTrim(): Promise<AuditTrimRow | undefined> {
    const trim = await audit.trim();
    if (trim && !(await seal.isGenuineTrim(trim))) throw new Blocked('the checkpoint is not genuine');
    return trim;
  }

  /** False when nothing is left to remove. */
  async function removeBatch(isOver: (entry: AuditRow) => boolean): Promise<boolean> {
    const rows = await audit.oldest(BATCH);
    const end = rows.findIndex((row) => !isOver(row));
    const over = end === -1 ? rows : rows.slice(0, end);
    const last = over.at(-1);
    if (!last) return false;
    const before = await genuineTrim();
    const cuts = cutsOf(before);
    const moved = await cutBehind(over, cuts, deps);
    for (const cut of moved) cuts.set(cut.chain_id, cut);
    const trim = await seal.signTrim({
      number: (before?.number ?? 0) + 1,
      removed: (before?.removed ?? 0) + over.length,
      last_id: last.id,
      last_hash: last.hash,
      until: last.created_at,
      removed_at: clock.now().toISOString(),
      cuts: cutsText(cuts.values()),
    });
    if (!(await audit.removeUpTo(trim, moved))) return false; // another instance is at it
    return over.length === BATCH;
  }

  async function removeAll(limits: Limits, signal: AbortSignal): Promise<void> {
    const giveWay = createGiveWay();
    const isOver = await overLimit(limits, clock.now(), deps);
    while (!signal.aborted && (await removeBatch(isOver))) await giveWay();
  }

  /** Also what an earlier run removed before it was killed. */
  async function record(): Promise<void> {
    const trim = await audit.trim();
    const [newest] = await audit.page({ action: 'audit_trimmed' }, { limit: 1, offset: 0 });
    const count = (trim?.removed ?? 0) - (newest ? recordedTotal(newest) : 0);
    if (!trim || count <= 0) return;
    log.info({ entries: count, until: trim.until }, 'Removed old audit entries');
    await trail.record(THE_GATEWAY, 'audit_trimmed', trimmedDetail(count, trim));
  }

  return {
    async run(signal) {
      const { audit_retention_days, audit_max_entries } = settings.values;
      if (audit_retention_days + audit_max_entries === 0) return;
      try {
        await removeAll({ audit_retention_days, audit_max_entries }, signal);
        logged_block = '';
      } catch (error) {
        if (!(error instanceof Blocked)) throw error;
        if (error.message !== logged_block) log.error({ reason: error.message }, BLOCKED);
        logged_block = error.message;
      }
      await record();
    },
  };
}

const BLOCKED = 'Old audit entries are kept, because the audit log is not intact: run sallyport audit verify';

async function overLimit(
  { audit_retention_days: days, audit_max_entries: most }: Limits,
  now: Date,
  { repositories }: Pick<Deps, 'repositories'>,
): Promise<(entry: AuditRow) => boolean> {
  const before = days > 0 ? new Date(now.getTime() - days * DAY_MS).toISOString() : '';
  const last_id = most > 0 ? ((await repositories.audit.newestId(most)) ?? 0) : 0;
  return ({ id, created_at }) => created_at < before || id <= last_id;
}

/** The cut of each chain behind these entries, each of which has to follow the one before it. */
async function cutBehind(
  rows: readonly AuditRow[],
  cuts: ReadonlyMap<string, AuditCut>,
  deps: Pick<Deps, 'repositories' | 'seal'>,
): Promise<AuditCut[]> {
  const moved = new Map<string, AuditCut>();
  for (const chain_id of new Set(rows.map((row) => row.chain_id))) {
    const head = await deps.repositories.audit.chain(chain_id);
    if (!head) throw new Blocked(`entry ${rows[0]?.id} belongs to no chain`);
    const is_genuine = await deps.seal.isGenuineHead(head);
    let cut = cuts.get(chain_id) ?? { chain_id, seq: 0, hash: '' };
    for (const row of rows.filter((one) => one.chain_id === chain_id)) {
      // Without its key nobody can vouch for a chain: verification reports it before and after.
      if (is_genuine) await assertFollows(row, cut, head);
      cut = { chain_id, seq: row.seq, hash: row.hash };
    }
    moved.set(chain_id, cut);
  }
  return [...moved.values()];
}

async function assertFollows(row: AuditRow, cut: AuditCut, head: AuditChainRow): Promise<void> {
  const is_last = row.seq === head.entries;
  const follows = row.seq === cut.seq + 1 && row.seq <= head.entries;
  const is_unchanged = row.hash === (await hashOfEntry(row, cut.hash));
  if (!follows || !is_unchanged || (is_last && row.hash !== head.last_hash)) {
    throw new Blocked(`entry ${row.id} was changed, or one before it is missing`);
  }
}
