import { Fault } from '../../errors.ts';
import { createIdPool } from '../../lib/id-pool.ts';
import type { BackupRestore } from '../../model/backup/backup.ts';
import type { BackupContent } from '../../model/backup/content.ts';
import type { DeriveKey } from '../../ports/outside.ts';
import type { BackupRepository, SealedTable } from '../../ports/repositories/backup.ts';
import type { Clock } from '../../ports/runtime.ts';
import { readBundle, refusing, unpackBundle } from '../pack/bundle.ts';
import { readContent } from '../pack/reader.ts';
import { checkAudit } from './audit.ts';
import type { Restoring } from './context.ts';
import { type PlanDeps, planRestore, type RestoreScene } from './plan.ts';
import { validateContent } from './validate.ts';

const TRIES = 3; // concurrent writes invalidate a plan

interface Deps extends PlanDeps {
  readonly backups: BackupRepository;
  readonly deriveKey: DeriveKey;
  readonly clock: Clock;
}

type Opened = Omit<RestoreScene, 'rows'>;
type Options = Pick<Restoring, 'mode' | 'caller_id'> & Pick<BackupRestore, 'dry_run'>;

/** The steps of a restore. */
export function createRestoreWork(deps: Deps) {
  const { audit, backups, deriveKey, clock } = deps;

  async function plan(opened: Opened, { dry_run, ...options }: Options) {
    const rows = await backups.read();
    const at = clock.now().toISOString();
    const nextId = dry_run ? async () => 0 : idsFor(opened.content);
    return { rows, ...(await planRestore(deps, { ...opened, rows }, { ...options, at, nextId })) };
  }

  function idsFor({ users, servers, webhooks }: BackupContent): Restoring['nextId'] {
    const poolOf = (table: SealedTable, { length }: readonly unknown[]) =>
      createIdPool((count) => backups.reserveIds(table, count), length);
    const pools = {
      users: poolOf('users', users),
      servers: poolOf('servers', servers),
      webhooks: poolOf('webhooks', webhooks),
    };
    return (table) => pools[table]();
  }

  return {
    /** Validates and hashes the bundle before reading the database, to keep the window for concurrent writes short. */
    async open({ bundle, passphrase }: Pick<BackupRestore, 'bundle' | 'passphrase'>): Promise<Opened> {
      const read = readBundle(bundle);
      const lines = await unpackBundle(deriveKey, read, passphrase);
      const content = await refusing(() => readContent(lines, read.counts));
      await validateContent(content, read.created_at);
      const here = new Set((await audit.chains()).map(({ id }) => id));
      return { content, checked: await checkAudit(content.audit, here) };
    },

    plan,

    /** Plans again when a concurrent write came first, a limited number of times. */
    async carryOut(...input: Parameters<typeof plan>) {
      for (let round = 1; ; round += 1) {
        const planned = await plan(...input);
        try {
          await backups.restore(planned.plan, planned.rows);
          return planned;
        } catch (error) {
          if (!isOvertaken(error) || round === TRIES) throw error;
        }
      }
    },
  };
}

function isOvertaken(error: unknown): boolean {
  return error instanceof Fault && error.code === 'backup_overtaken';
}
