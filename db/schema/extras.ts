/** An index that Drizzle has no word for: statements that stand or fall together, the last of which makes `name`. */
export interface Extra {
  readonly name: string;
  readonly statements: readonly string[];
}

type Extras = Readonly<Record<string, readonly Extra[]>>;

/**
 * Three characters each, without their places in the text: a tenth of the size, and enough to find candidates.
 * A trigger of the same name keeps it, so that no writer can forget it, also one of an older version.
 */
const auditSearch: Extra = {
  name: 'audit_search',
  statements: [
    `create virtual table if not exists audit_search using fts5 (
      search_key, facets, content = 'audit_entries', content_rowid = 'id',
      tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0
    )`,
    // Bytes of a page: merging is by pages, and with the usual 4,050 some writes would take 100 ms.
    `insert into audit_search (audit_search, rank) values ('pgsz', 1000)`,
    `insert into audit_search (audit_search) values ('rebuild')`,
    `create trigger audit_search after insert on audit_entries begin
      insert into audit_search (rowid, search_key, facets) values (new.id, new.search_key, new.facets);
    end`,
  ],
};

/** By table. PostgreSQL is quick enough without. */
export const SQLITE_EXTRAS: Extras = { audit_entries: [auditSearch] };
