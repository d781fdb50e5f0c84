import type { Kit } from '../kit/sqlite.ts';

export function defineAudit(kit: Kit) {
  const audit_chains = kit.table(
    'audit_chains',
    {
      id: kit.text().primaryKey(),
      number: kit.int().notNull(),
      instance_id: kit.text().notNull(),
      started_at: kit.instant().notNull(),
      entries: kit.int().notNull(),
      last_hash: kit.text().notNull(),
      witness: kit.text().notNull(),
      signature: kit.text().notNull(),
    },
    (row) => [kit.uniqueIndex('audit_chains_number').on(row.number)],
  );

  /** A single row with id 1. */
  const audit_roll = kit.table('audit_roll', {
    id: kit.int().primaryKey(),
    chains: kit.int().notNull(),
    signature: kit.text().notNull(),
  });

  /** The row with the highest number counts: what retention has removed. */
  const audit_trims = kit.table('audit_trims', {
    number: kit.int().primaryKey(),
    until: kit.instant().notNull(),
    removed_at: kit.instant().notNull(),
    cuts: kit.text().notNull(),
    limits: kit.text().notNull(),
    signature: kit.text().notNull(),
  });

  /** A single row with id 1: how far the last verification got. */
  const audit_verified = kit.table('audit_verified', {
    id: kit.int().primaryKey(),
    entries: kit.int().notNull(),
    began_at: kit.instant().notNull(),
    verified_at: kit.instant().notNull(),
    is_complete: kit.bool().notNull(),
    removed: kit.int().notNull(),
    places: kit.text().notNull(),
    signature: kit.text().notNull(),
  });

  /** Keys of entries that came from a file, and names of entries, so that none of them is stored twice. */
  const audit_spooled = kit.table(
    'audit_spooled',
    { key: kit.text().primaryKey(), expires_at: kit.instant() },
    (row) => [kit.index('audit_spooled_expires_at').on(row.expires_at)],
  );

  const audit_entries = defineEntries(kit);
  return { audit_chains, audit_roll, audit_trims, audit_verified, audit_spooled, audit_entries };
}

// No foreign keys: entries outlive users, and removing a chain must not remove its entries.
function defineEntries(kit: Kit) {
  return kit.table(
    'audit_entries',
    {
      id: kit.id(),
      chain_id: kit.text().notNull(),
      seq: kit.int().notNull(),
      user_id: kit.int(),
      username: kit.text().notNull(),
      username_key: kit.text().notNull(),
      action: kit.text().notNull(),
      detail: kit.text().notNull(),
      ip_address: kit.text().notNull(),
      via: kit.text(),
      created_at: kit.instant().notNull(),
      hash: kit.text().notNull(),
      // The searched text, lower-cased in JavaScript like `username_key`.
      search_key: kit.text().notNull(),
      // Trigrams of name and action for SQLite's search index.
      facets: kit.text().notNull(),
    },
    (row) => [
      kit.uniqueIndex('audit_entries_place').on(row.chain_id, row.seq),
      kit.index('audit_entries_created_at').on(row.created_at),
      kit.index('audit_entries_action').on(row.action, row.created_at),
      kit.index('audit_entries_username').on(row.username_key, row.created_at),
      kit.index('audit_entries_username_action').on(row.username_key, row.action, row.created_at),
    ],
  );
}
