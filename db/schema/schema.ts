import type { Kit } from '../kit/sqlite.ts';
import { defineAgent } from './agent.ts';
import { defineAudit } from './audit.ts';
import { defineIdentity } from './identity.ts';
import { defineInventory } from './inventory.ts';
import { defineOperations } from './operations.ts';
import { defineRecordings } from './recordings.ts';
import { defineSnippets } from './snippets.ts';
import { defineSystem } from './system.ts';
import { defineTerminals } from './terminals.ts';
import { defineTickets } from './tickets.ts';
import { defineTransfers } from './transfers.ts';
import { defineWebhooks } from './webhooks.ts';

/** Every table in order of creation: `schema_migrations` first, referenced tables before those that refer to them. */
export function defineSchema(kit: Kit) {
  const identity = defineIdentity(kit);
  const inventory = defineInventory(kit);
  return {
    ...defineSystem(kit),
    ...identity,
    ...defineTickets(kit, identity),
    ...inventory,
    ...defineTransfers(kit, inventory),
    ...defineTerminals(kit, identity),
    ...defineRecordings(kit, inventory),
    ...defineSnippets(kit, identity),
    ...defineAudit(kit),
    ...defineWebhooks(kit),
    ...defineOperations(kit),
    ...defineAgent(kit, { ...identity, ...inventory }),
  };
}

export type Tables = ReturnType<typeof defineSchema>;
