import type { Callers } from '../accounts/callers.ts';
import type { AuditSeal } from '../crypto/audit-seal.ts';
import {
  AuditAction,
  type AuditEntry,
  type AuditFilter,
  type AuditRow,
  type AuditVerdict,
  toAuditEntry,
} from '../model/audit.ts';
import type { Caller } from '../model/caller.ts';
import { assertAdmin, credentialOf } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { AuditChain } from './chain.ts';
import type { AuditTrail } from './trail.ts';
import { verifyAudit } from './verify.ts';

const EXPORT_PAGE = 1000;

export interface AuditPage {
  readonly entries: AuditEntry[];
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
}

interface Deps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly callers: Callers;
  readonly seal: AuditSeal;
  readonly chain: AuditChain;
  readonly trail: AuditTrail;
}

export function createAudit({ repositories: { audit }, callers, seal, chain, trail }: Deps): Audit {
  let running: Promise<AuditVerdict> | undefined;

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
      return { entries: rows.map(toAuditEntry), ...(await audit.count(filter)) };
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
      // Concurrent requests share one verification.
      running ??= verifyAudit({ audit, seal }, chain.head()).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
