import { limitsDetail } from '#core/audit/retention/limits.ts';
import { createAuditRetention } from '#core/audit/retention/retention.ts';
import { createAuditTrail } from '#core/audit/trail.ts';
import { readAudit, verifyAudit } from '#core/audit/verification/verify.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import type { SettingValues } from '#core/model/settings/setting.ts';
import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { type Fresh, silent } from '../databases/stores.ts';
import { SECRET_KEY } from '../gateway/gateway.ts';
import { auditInstance, auditRecord } from './audit.ts';

export const NOW = '2026-03-01T00:30:00.000Z';
export const OLD = '2026-01-01T00:00:00.000Z';
export const NEW = '2026-02-27T00:00:00.000Z';
const DAY_MS = 86_400_000;
export const DAYS = { audit_retention_days: 30, audit_max_entries: 0 };
export const MOST = { audit_retention_days: 0, audit_max_entries: 10 };
export const OFF = { audit_retention_days: 0, audit_max_entries: 0 };

export type Change = (audit: AuditRepository) => Partial<AuditRepository>;

/** What retention needs of a gateway on this store. `stored`: as if an administrator had saved the limits. */
export async function instanceOn(store: Store, values: typeof DAYS, change: Change = () => ({})) {
  const audit = createRepositories(store).audit;
  Object.assign(audit, change({ ...audit }));
  const seal = createAuditSeal(await createKeyring(SECRET_KEY));
  const chain = await auditInstance(store);
  const errors: object[] = [];
  const log = { ...silent, error: (fields: object) => void errors.push(fields) };
  const clock = { now: () => new Date(now.at) };
  const now = { at: NOW };
  const trail = createAuditTrail({ chain, clock });
  const settings = { values, stored: values as Partial<SettingValues> };
  const verify = (signal: AbortSignal) => readAudit({ audit, seal }, undefined, { signal });
  const deps = { repositories: { audit }, verify, seal, trail, settings, clock, log };
  const retention = createAuditRetention(deps);
  const later = (days: number) => {
    now.at = new Date(new Date(now.at).getTime() + days * DAY_MS).toISOString();
  };
  const run = (signal = new AbortController().signal) => retention.run(signal);
  return { audit, seal, chain, retention, settings, errors, run, later };
}

/** Two ended chains: 300 old entries, the limits and 5 new entries; 3 new ones. */
export async function setUp(
  fresh: Fresh,
  { values = DAYS, recorded, change }: { values?: typeof DAYS; recorded?: typeof DAYS; change?: Change } = {},
) {
  const store = await fresh.migrated();
  const first = await auditInstance(store);
  const second = await auditInstance(store);
  const add = (created_at: string, detail: string, action = 'login_failed') =>
    first.append(auditRecord({ created_at, detail, action }));
  await Promise.all(Array.from({ length: 300 }, (_, i) => add(OLD, `${i}`)));
  await add(NEW, limitsDetail(recorded ?? values) ?? '', 'audit_limits');
  for (const detail of ['a', 'b', 'c', 'd', 'e']) await add(NEW, detail);
  for (const detail of ['f', 'g', 'h']) await second.append(auditRecord({ created_at: NEW, detail }));
  const instance = await instanceOn(store, values, change);
  const { audit, seal } = instance;
  const verdict = () => verifyAudit({ audit, seal }, undefined);
  const actions = async () => (await audit.page({}, { limit: 500, offset: 0 })).map(({ action }) => action);
  const [chain] = await audit.chains();
  if (!chain) throw new Error('No chain');
  return { store, ...instance, live: instance.chain, verdict, actions, chain };
}
