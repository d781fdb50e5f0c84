import { createAuditChain } from '#core/audit/chain/chain.ts';
import { type AuditTrail, createAuditTrail } from '#core/audit/trail.ts';
import { type AuditSeal, createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createVault, type Vault } from '#core/crypto/vault.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import { look } from '#db/migrate/apply.ts';
import { assertKnownFormat } from '#db/migrate/format.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { textDigest } from '../adapters/text-digest.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { existingSecretKey, keyringsOf } from '../config/secret-key.ts';
import { systemClock as clock } from '../lib/clock.ts';

const SILENT = { warn: () => undefined, error: () => undefined };

/** A gateway's database and keys for a command that runs beside it. */
export interface Maintenance {
  readonly repositories: Repositories;
  readonly seal: AuditSeal;
  readonly vault: Vault;
  readonly trail: AuditTrail;
  close(): Promise<void>;
}

interface MaintenanceOptions {
  readonly read_only: boolean;
  /** Without these the database belongs to no gateway, or to one of another version. */
  readonly tables: readonly string[];
}

/** Creates neither a database nor tables nor a secret key: it works only where a gateway has run before. */
export async function openMaintenance(
  config: Config,
  { read_only, tables }: MaintenanceOptions,
): Promise<Maintenance> {
  const keyrings = await keyringsOf(config, await existingSecretKey(config));
  const seal = createAuditSeal(...keyrings, textDigest);
  await assertUsed(config, tables);
  const store = openStore(config.database_url, { read_only });
  try {
    const repositories = createRepositories(store);
    if (!read_only) await assertSameKey(repositories, seal);
    const chain = createAuditChain({ repositories, seal, clock, log: SILENT, instance_id: 'command line' });
    return {
      repositories,
      seal,
      vault: createVault(...keyrings),
      trail: createAuditTrail({ chain, clock }),
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Looks through a read-only connection, which creates no file. */
async function assertUsed(config: Config, tables: readonly string[]): Promise<void> {
  const store = openStore(config.database_url, { read_only: true });
  try {
    const existing = await look(store);
    await assertKnownFormat(store, existing);
    if (tables.every((table) => existing.has(table))) return;
    throw new DatabaseUnusable(
      'This database has no audit log of this version yet: start the gateway on it first',
    );
  } finally {
    await store.close();
  }
}

/** A command with another key could not read the stored secrets, and would sign audit entries that nobody trusts. */
async function assertSameKey({ audit }: Repositories, seal: AuditSeal): Promise<void> {
  const roll = await audit.roll();
  if (!roll || (await seal.isGenuineRoll(roll))) return;
  throw new ConfigError(
    'SERVICE_SECRET_KEY: the audit log was signed with another key. Run this command with the variables of the gateway',
  );
}
