import type { AuditRepository } from '#core/ports/repositories.ts';
import type { Store } from '../store.ts';
import { createAuditChains } from './audit-chains.ts';
import { createAuditPages } from './audit-pages.ts';

export function createAuditRepository(store: Store): AuditRepository {
  return { ...createAuditChains(store), ...createAuditPages(store) };
}
