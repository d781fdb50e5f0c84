/** An index or a trigger that Drizzle cannot express: statements that run in one transaction, the last of which creates `name`. */
export interface Extra {
  readonly name: string;
  readonly statements: readonly string[];
}

export type Extras = Readonly<Record<string, readonly Extra[]>>;

/**
 * A trigram index without positions: a tenth of the size, and enough to find candidates. A trigger of the same name
 * maintains it, so that every writer updates it, older versions included.
 */
const auditSearch: Extra = {
  name: 'audit_search',
  statements: [
    `create virtual table if not exists audit_search using fts5 (
      search_key, facets, content = 'audit_entries', content_rowid = 'id',
      tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0
    )`,
    // Page size in bytes: merges work by page, and with the default of 4,050 some writes would take 100 ms.
    `insert into audit_search (audit_search, rank) values ('pgsz', 1000)`,
    `insert into audit_search (audit_search) values ('rebuild')`,
    `create trigger audit_search after insert on audit_entries begin
      insert into audit_search (rowid, search_key, facets) values (new.id, new.search_key, new.facets);
    end`,
  ],
};

/** Removes an entry from the search index with the values that it was indexed with. */
const auditSearchRemoval: Extra = {
  name: 'audit_search_removal',
  statements: [
    `create trigger audit_search_removal after delete on audit_entries begin
      insert into audit_search (audit_search, rowid, search_key, facets)
      values ('delete', old.id, old.search_key, old.facets);
    end`,
  ],
};

/** Without the entries of older versions, which have no transport, so that a large log is not sorted when it is added. */
const auditTransports: readonly Extra[] = [
  { name: 'audit_entries_via', columns: '"via", "created_at"' },
  { name: 'audit_entries_action_via', columns: '"action", "via", "created_at"' },
  { name: 'audit_entries_username_via', columns: '"username_key", "via", "created_at"' },
].map(({ name, columns }) => ({
  name,
  statements: [`create index "${name}" on "audit_entries" (${columns}) where "via" is not null`],
}));

/** By table. PostgreSQL searches fast enough without them, and adds some indexes to large tables alone. */
export const SQLITE_EXTRAS: Extras = {
  audit_entries: [auditSearch, auditSearchRemoval, ...auditTransports],
};
