import { fileURLToPath } from 'node:url';
import { openPostgres } from './open-postgres.ts';
import { openSqlite } from './open-sqlite.ts';
import type { Store } from './store.ts';

/** A path, `:memory:` or a `file:` URL opens SQLite; `postgres://` and `postgresql://` open a pool. */
export function openStore(url: string): Store {
  return /^postgres(ql)?:\/\//i.test(url) ? openPostgres(url) : openSqlite(toPath(url));
}

function toPath(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url);
  // SQLite's own spelling, as in `file:data/sallyport.db`: relative, so not a URL that Node could convert.
  if (url.startsWith('file:')) return decodeURIComponent(url.slice('file:'.length));
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1];
  if (scheme) throw new Error(`Unknown kind of database: ${scheme}`); // the rest may hold a password
  return url;
}
