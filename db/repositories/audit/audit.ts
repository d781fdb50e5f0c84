import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import type { Store } from '../../store.ts';
import { createAuditChains } from './chains.ts';
import { createAuditPages } from './pages.ts';
import { createAuditSpooled } from './spooled.ts';
import { createAuditTrims } from './trims.ts';
import { createAuditVerifications } from './verified.ts';

export function createAuditRepository(store: Store): AuditRepository {
  return {
    ...createAuditChains(store),
    ...createAuditPages(store),
    ...createAuditSpooled(store),
    ...createAuditTrims(store),
    ...createAuditVerifications(store),
  };
}
