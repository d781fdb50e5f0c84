import { asc } from 'drizzle-orm';
import type { AuditChain } from '#core/audit/chain/appends.ts';
import { createAuditChain } from '#core/audit/chain/chain.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import type { AuditRecord } from '#core/model/audit/audit.ts';
import type { Log } from '#core/ports/runtime.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { systemClock as clock } from '#server/lib/clock.ts';
import { silent } from '../databases/stores.ts';
import { SECRET_KEY } from '../gateway/gateway.ts';

/** Writes entries like another instance on the same database: anything, at any time. */
export async function auditInstance(
  store: Store,
  secret_key = SECRET_KEY,
  instance_id = 'of a test',
  log: Partial<Pick<Log, 'warn' | 'error'>> = {},
): Promise<AuditChain> {
  const seal = createAuditSeal(await createKeyring(secret_key));
  return createAuditChain({
    repositories: createRepositories(store),
    seal,
    clock,
    log: { ...silent, ...log },
    instance_id,
  });
}

export function auditRecord(fields: Partial<AuditRecord> = {}): AuditRecord {
  return {
    user_id: null,
    username: 'somebody',
    action: 'login_failed',
    detail: '',
    ip_address: '192.0.2.1',
    created_at: clock.now().toISOString(),
    ...fields,
  };
}

/** Every column of every entry. */
export function auditRows({ db, tables }: Store) {
  return db.select().from(tables.audit_entries).orderBy(asc(tables.audit_entries.id));
}
