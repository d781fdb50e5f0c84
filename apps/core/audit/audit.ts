import type { AuditSeal } from '../crypto/audit-seal.ts';
import type { Caller, Credential } from '../model/accounts/caller.ts';
import {
  AuditAction,
  type AuditEntry,
  type AuditExcess,
  type AuditFilter,
  type AuditRow,
  type AuditVerdict,
  type ListedAuditEntry,
  toAuditEntry,
} from '../model/audit/audit.ts';
import { type AuditVerificationStatus, toAuditVerified } from '../model/audit/verification.ts';
import { assertMay, credentialOf } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { phraseOf } from './phrases.ts';
import { hourOf } from './retention/evidence.ts';
import { GRACE_MS, type Limits } from './retention/limits.ts';
import { hourBefore } from './retention/removable.ts';
import type { AuditTrail } from './trail.ts';
import { genuineVerified, type Reading } from './verification/pass.ts';
import type { Verifier } from './verification/verifier.ts';

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
  verify(caller: Caller, reading: Reading): Promise<AuditVerdict>;
  /** How far the last verification got. */
  verified(caller: Caller): Promise<AuditVerificationStatus>;
  /** What these limits would remove now from a log that is intact. */
  excess(caller: Caller, limits: Limits): Promise<AuditExcess>;
}

/** Loads a caller again, with the rights of this moment. */
export interface CallerLookup {
  fromCredential(credential: Credential, ip_address: string): Promise<Caller>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly callers: CallerLookup;
  readonly seal: AuditSeal;
  readonly verifyNow: Verifier;
  readonly trail: AuditTrail;
  readonly clock: Pick<Clock, 'now'>;
}

export function createAudit(deps: Deps): Audit {
  const { callers, seal, verifyNow, trail, clock } = deps;
  const { audit } = deps.repositories;
  async function* pages(caller: Caller, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
    let last: AuditRow | undefined;
    do {
      const rows = await audit.following(filter, last, EXPORT_PAGE);
      yield rows.map(toAuditEntry);
      const now = await callers.fromCredential(credentialOf(caller), caller.ip_address);
      assertMay(now, 'read_administration'); // may have been revoked during a long export
      last = rows.length < EXPORT_PAGE ? undefined : rows.at(-1);
    } while (last);
  }

  return {
    async page(caller, filter, paging) {
      assertMay(caller, 'read_administration');
      const rows = await audit.page(filter, paging);
      const entries = rows.map((row) => ({ ...toAuditEntry(row), phrase: phraseOf(row) }));
      return { entries, ...(await audit.count(filter)) };
    },

    actions(caller) {
      assertMay(caller, 'read_administration');
      return AuditAction.options;
    },

    async export(caller, filter, format) {
      assertMay(caller, 'read_administration');
      const named = Object.entries(filter).filter(([, value]) => value !== undefined);
      const by = named.length === 0 ? '' : `, by ${named.map(([name]) => name).join(', ')}`;
      await trail.record(caller, 'audit_export', format + by, { retry: false });
      return pages(caller, filter);
    },

    async verify(caller, reading) {
      assertMay(caller, 'read_administration');
      return await verifyNow(reading);
    },

    async verified(caller) {
      assertMay(caller, 'read_administration');
      const row = await genuineVerified(audit, seal);
      return { verified: row ? toAuditVerified(row) : null, total: (await audit.count({})).total };
    },

    async excess(caller, limits) {
      assertMay(caller, 'read_administration');
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
