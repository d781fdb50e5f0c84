import { cutsOf } from '../../audit/retention/checkpoint.ts';
import { verifyAudit } from '../../audit/verification/verify.ts';
import type { AuditSeal } from '../../crypto/audit-seal.ts';
import type { AuditChainRow } from '../../model/audit/audit.ts';
import type { BackupAuditEntry, BackupChain } from '../../model/backup/content.ts';
import type { AuditRepository } from '../../ports/repositories/audit.ts';

const PAGE = 250;

export type AuditLine =
  | readonly ['audit_chain', BackupChain]
  | readonly ['audit_entry', BackupAuditEntry]
  | readonly ['warning', string];

interface Deps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
}

/** Chains with their entries. Chains this gateway did not sign are left out: a restore would sign them. */
export async function* auditLines(
  { audit, seal }: Deps,
  chains: readonly AuditChainRow[],
): AsyncGenerator<AuditLine, void> {
  const { ok, reason } = await verifyAudit({ audit, seal }, undefined);
  if (!ok) yield ['warning', `The audit log was not whole when it was exported (${reason})`];
  const cuts = cutsOf(await audit.trim());
  for (const head of chains) {
    if (cuts.has(head.id))
      yield [
        'warning',
        `Audit chain ${head.number}: retention removed its beginning, so it is not in the bundle`,
      ];
    else if (await seal.isGenuineHead(head)) yield* chainLines(audit, head);
    else yield ['warning', `Audit chain ${head.number}: its signature does not fit, it is not in the bundle`];
  }
}

async function* chainLines(audit: AuditRepository, head: AuditChainRow): AsyncGenerator<AuditLine, void> {
  const { signature, ...chain } = head;
  yield ['audit_chain', chain];
  for (let seq = 0; seq < head.entries; ) {
    const rows = await audit.scan(head.id, seq, Math.min(PAGE, head.entries - seq));
    for (const { user_id, username, action, detail, ip_address, created_at, via } of rows) {
      const entry = { user_id, username, action, detail, ip_address, created_at };
      yield ['audit_entry', via ? { ...entry, via } : entry];
    }
    const last = rows.at(-1);
    if (!last) return; // cut off; the reader notices by the head
    seq = last.seq;
  }
}
