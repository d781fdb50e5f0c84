import type { AuditSeal } from '../../crypto/audit-seal.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import type { AuditTrimRow } from '../../model/audit/audit.ts';
import type { InForce, SettingValues } from '../../model/settings/setting.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { type AuditTrail, THE_GATEWAY } from '../trail.ts';
import type { Verification } from '../verification/verify.ts';
import { cutsOf, cutsText, limitsOf, removedBy, trimmedDetail } from './checkpoint.ts';
import type { Evidence } from './evidence.ts';
import {
  actingLimits,
  GRACE_MS,
  LIMIT_KEYS,
  type LimitKey,
  lastLimits,
  limitsDetail,
  type RecordedLimits,
} from './limits.ts';
import { removableIn, type Step } from './removable.ts';

/** Removes the beginning of the log and leaves a signed record of it. */
export interface AuditRetention {
  /** Verifies the whole log first, and removes nothing from one that is not intact. */
  run(signal: AbortSignal): Promise<void>;
}

export interface AuditRetentionDeps {
  readonly repositories: Pick<Repositories, 'audit'>;
  /** Rejects when it is aborted. */
  readonly verify: (signal: AbortSignal) => Promise<Verification>;
  readonly seal: AuditSeal;
  readonly trail: AuditTrail;
  readonly settings: InForce<LimitKey> & { readonly stored: Readonly<Partial<SettingValues>> };
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

export function createAuditRetention(deps: AuditRetentionDeps): AuditRetention {
  const { repositories, verify, seal, trail, settings, clock, log } = deps;
  const { audit } = repositories;
  let has_looked = false;
  let logged = '';

  function complain(reason: string): void {
    if (reason !== logged) log.error({ reason }, BLOCKED);
    logged = reason;
  }

  /** Without limits one look is enough, or none when there never were any. */
  async function hasNothingToDo(): Promise<boolean> {
    if (LIMIT_KEYS.some((key) => settings.values[key] > 0)) return false;
    if (has_looked) return true;
    const [recorded] = await audit.page({ action: 'audit_limits' }, { limit: 1, offset: 0 });
    return !recorded && !(await audit.trim());
  }

  /** Records the limits that come from the environment; `settings` records the others. */
  async function recordEnvironment(recorded: RecordedLimits): Promise<void> {
    const news = LIMIT_KEYS.filter(
      (key) => settings.stored[key] === undefined && settings.values[key] !== (recorded[key]?.value ?? 0),
    );
    const detail = limitsDetail(Object.fromEntries(news.map((key) => [key, settings.values[key]])));
    if (detail) await trail.record(THE_GATEWAY, 'audit_limits', detail);
  }

  /** Also what an earlier run removed before it was killed. */
  async function recordRemoval(evidence: Evidence, trim: AuditTrimRow | undefined): Promise<void> {
    if (!trim || removedBy(trim) <= evidence.removed) return;
    log.info({ entries: removedBy(trim) - evidence.removed, until: trim.until }, 'Removed old audit entries');
    await trail.record(THE_GATEWAY, 'audit_trimmed', trimmedDetail(trim));
  }

  return {
    async run(signal) {
      if (await hasNothingToDo()) return;
      const verified = await unlessAborted(verify(signal), signal);
      if (!verified) return;
      const { verdict, evidence, trim } = verified;
      if (!verdict.ok) return complain(`verification failed (${verdict.reason})`);
      logged = '';
      const now = clock.now();
      const limits = lastLimits([limitsOf(trim), ...evidence.limits], now);
      await recordEnvironment(limits);
      const acting = actingLimits(settings.values, limits, { now, grace_ms: GRACE_MS });
      const { entries, steps } = await removableIn(acting, evidence.marks, { now, min_age_ms: GRACE_MS });
      const removal = createRemoval({ audit, seal }, trim, { limits, removed_at: now.toISOString() });
      try {
        if (entries > 0) await removeAll(steps, removal, signal);
        has_looked = true;
      } finally {
        await recordRemoval(evidence, removal.trim()); // also after a failure
      }
    },
  };
}

const BLOCKED = 'Old audit entries are kept, because the audit log is not intact: run sallyport audit verify';

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

async function removeAll(steps: readonly Step[], { remove }: Removal, signal: AbortSignal): Promise<void> {
  const giveWay = createGiveWay();
  for (const step of steps) {
    if (signal.aborted || !(await remove(step))) return;
    await giveWay();
  }
}

type Removal = ReturnType<typeof createRemoval>;

/**
 * Continues `verified`, the checkpoint that was verified, and signs only hashes that were verified: what has been written
 * to the database since then changes neither.
 */
function createRemoval(
  { audit, seal }: Pick<AuditRetentionDeps, 'seal'> & Pick<Repositories, 'audit'>,
  verified: AuditTrimRow | undefined,
  { limits, removed_at }: { readonly limits: RecordedLimits; readonly removed_at: string },
) {
  const cuts = cutsOf(verified);
  let trim = verified;
  return {
    trim: () => trim,
    /** False when another instance is removing. */
    async remove({ chain_id, seq, hash, latest }: Step): Promise<boolean> {
      const cut = { chain_id, seq, hash };
      if ((cuts.get(chain_id)?.seq ?? 0) >= seq) return true;
      const until = trim?.until ?? '';
      const next = await seal.signTrim({
        number: (trim?.number ?? 0) + 1,
        until: latest > until ? latest : until,
        removed_at,
        cuts: cutsText(cuts.set(chain_id, cut).values()),
        limits: JSON.stringify(limits),
      });
      if (!(await audit.removeUpTo(next, cut))) return false;
      trim = next;
      return true;
    },
  };
}
