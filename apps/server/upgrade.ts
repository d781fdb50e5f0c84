import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOldVault, createVault } from '#core/crypto/vault.ts';
import { bindSecrets } from '#core/operations/binding.ts';
import type { Log } from '#core/ports/runtime.ts';
import { look, migrate } from '#db/migrate/apply.ts';
import { assertKnownFormat, recordFormat, untilUnused } from '#db/migrate/format.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import type { Config } from './config/config.ts';
import { keyringsOf } from './config/secret-key.ts';
import { readVersion } from './version.ts';

const MARKER = 'secrets-bound';

/** Brings the database to this version. */
export async function upgrade(store: Store, config: Config, context: Context): Promise<void> {
  const existing = await look(store);
  await assertKnownFormat(store, existing);
  if (existing.has('users') && !existing.has('bound_secrets')) {
    if (existing.has('instances')) await untilUnused(store, context.log);
    await bindOldSecrets(store, config, context);
  }
  await migrate(store, context.log);
  await recordFormat(store, readVersion());
  await mark(config.data_dir, context.log);
}

interface Context {
  readonly secret_key: string;
  readonly log: Log;
}

/** Once in the life of a database, before anything is served. */
async function bindOldSecrets(store: Store, config: Config, { secret_key, log }: Context): Promise<void> {
  if (existsSync(join(config.data_dir, MARKER))) {
    log.error({}, NOT_BOUND);
    return;
  }
  // Everything but the table whose existence ends this.
  const { bound_secrets, ...tables } = store.tables;
  await migrate({ ...store, tables }, log);
  const keyrings = await keyringsOf(config, secret_key);
  const { bound, lost } = await bindSecrets({
    sealed: createRepositories(store).sealed,
    vault: createVault(...keyrings),
    old_vault: createOldVault(...keyrings),
    log,
  });
  log.info({ secrets: bound.length, unreadable: lost.length }, 'Bound the stored secrets to their rows');
}

/** Outside the database: who can only write to the database cannot make it look like one of an older version. */
async function mark(data_dir: string, log: Log): Promise<void> {
  const path = join(data_dir, MARKER);
  if (existsSync(path)) return;
  try {
    await mkdir(data_dir, { recursive: true, mode: 0o700 });
    await writeFile(path, MARKER_TEXT, { mode: 0o600 });
  } catch (error) {
    log.warn({ path, error: String(error) }, 'SERVICE_DATA_DIR: this file could not be written');
  }
}

const MARKER_TEXT =
  'The stored secrets of this gateway are bound to their rows. Keep this file: without it, a changed database could bring back the old form.\n';

const NOT_BOUND =
  'This database is older than this data directory, so its stored secrets are refused. If you put this database here yourself, run: sallyport admin bind-secrets';
