import type { Callers } from '../accounts/callers.ts';
import {
  AuditAction,
  type AuditEntry,
  type AuditExcess,
  type AuditFilter,
  type AuditRow,
  type AuditVerdict,
  type ListedAuditEntry,
  toAuditEntry,
} from '../model/audit.ts';
import type { Caller } from '../model/caller.ts';
import { assertAdmin, credentialOf } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { hourBefore } from './cutoff.ts';
import { GRACE_MS, type Limits } from './limits.ts';
import { phraseOf } from './phrases.ts';
import { hourOf } from './told.ts';
import type { AuditTrail } from './trail.ts';

const EXPORT_PAGE = 1000;

export interface AuditPage {
  readonly entries: ListedAuditEntry[];
  readonly total: number;
  /** False when `total` is a lower bound. */
  readonly exact: boolean;
}

/** Reads and verifies the audit log. */
export interface Audit {
  page(caller: Caller, filter: AuditFilter, paging: { limit: number; offset: number }): Promise<AuditPage>;
  actions(caller: Caller): AuditAction[];
  /** All matching entries, in pages that are read on demand. */
  export(caller: Caller, filter: AuditFilter, format: string): Promise<AsyncGenerator<AuditEntry[]>>;
  verify(caller: Caller): Promise<AuditVerdict>;
  /** What these limits would remove now from a log that is intact. */
  excess(caller: Caller, limits: Limits): Promise<AuditExcess>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly callers: Callers;
  readonly verifyNow: () => Promise<AuditVerdict>;
  readonly trail: AuditTrail;
  readonly clock: Pick<Clock, 'now'>;
}

export function createAudit({ repositories: { audit }, callers, verifyNow, trail, clock }: Deps): Audit {
  async function* pages(caller: Caller, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
    let last: AuditRow | undefined;
    do {
      const rows = await audit.following(filter, last, EXPORT_PAGE);
      yield rows.map(toAuditEntry);
      assertAdmin(await callers.fromCredential(credentialOf(caller), caller.ip_address)); // may have been revoked during a long export
      last = rows.length < EXPORT_PAGE ? undefined : rows.at(-1);
    } while (last);
  }

  return {
    async page(caller, filter, paging) {
      assertAdmin(caller);
      const rows = await audit.page(filter, paging);
      const entries = rows.map((row) => ({ ...toAuditEntry(row), phrase: phraseOf(row) }));
      return { entries, ...(await audit.count(filter)) };
    },

    actions(caller) {
      assertAdmin(caller);
      return AuditAction.options;
    },

    async export(caller, filter, format) {
      assertAdmin(caller);
      const named = Object.entries(filter).filter(([, value]) => value !== undefined);
      const by = named.length === 0 ? '' : `, by ${named.map(([name]) => name).join(', ')}`;
      await trail.record(caller, 'audit_export', format + by, { retry: false });
      return pages(caller, filter);
    },

    async verify(caller) {
      assertAdmin(caller);
      return await verifyNow();
    },

    async excess(caller, limits) {
      assertAdmin(caller);
      const now = clock.now();
      const most = limits.audit_max_entries;
      const [kept] = most > 0 ? await audit.page({}, { limit: 1, offset: most - 1 }) : [];
      const hour = hourBefore(limits, kept && hourOf(kept.created_at), { now, min_age_ms: GRACE_MS });
      const before = `${hour}:00:00.000Z`;
      const { total: entries } = await audit.count({ until: before });
      const [newest] = await audit.page({ until: before }, { limit: 1, offset: 0 });
      const acts_at = new Date(now.getTime() + GRACE_MS).toISOString();
      return { entries, before, newest: newest?.created_at ?? null, acts_at };
    },
  };
}
