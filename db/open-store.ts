import { fileURLToPath } from 'node:url';
import { DatabaseUnusable } from './database-unusable.ts';
import { driverMessage } from './driver-errors.ts';
import { openPostgres } from './open-postgres.ts';
import { type OpenOptions, openSqlite } from './open-sqlite.ts';
import type { Store } from './store.ts';

/** A path, `:memory:` or a `file:` URL opens SQLite; `postgres://` and `postgresql://` open a pool. */
export function openStore(url: string, options: OpenOptions = {}): Store {
  return /^postgres(ql)?:\/\//i.test(url) ? openPostgres(url) : openSqlite(toPath(url), options);
}

function toPath(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1];
  if (scheme && scheme !== 'file') throw new DatabaseUnusable(`Unknown kind of database: ${scheme}`); // the rest may hold a password
  try {
    if (scheme) return fileURLToPath(url);
    // SQLite's relative form, `file:data/sallyport.db`, which Node cannot convert.
    return url.startsWith('file:') ? decodeURIComponent(url.slice('file:'.length)) : url;
  } catch (cause) {
    throw new DatabaseUnusable(`Cannot open the database ${url}: ${driverMessage(cause)}`, { cause });
  }
}
