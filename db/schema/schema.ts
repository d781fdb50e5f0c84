import type { Kit } from '../kit/sqlite.ts';
import { defineIdentity } from './identity.ts';
import { defineInventory } from './inventory.ts';
import { defineSystem } from './system.ts';

/** Every table, in the order of creation: `schema_migrations` first, referenced tables before their referrers. */
export function defineSchema(kit: Kit) {
  return { ...defineSystem(kit), ...defineIdentity(kit), ...defineInventory(kit) };
}

export type Tables = ReturnType<typeof defineSchema>;
