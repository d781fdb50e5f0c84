import type { Repositories } from '../../ports/repositories.ts';
import type { Log } from '../../ports/runtime.ts';
import { type AuditTrail, THE_GATEWAY } from '../trail.ts';
import type { AuditChain } from './appends.ts';
import { keysOf } from './entry.ts';
import type { Orphans, Spool, SpooledEntry } from './spool.ts';

/** Stores the entries that runs which have ended owe to the database. */
export interface AuditRecovery {
  /** Resolves once the entries are queued, before anything that happens later. */
  run(): Promise<void>;
  /** Resolves when no file is in use any more; the chain must be closed. */
  finish(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly spool: Spool;
  readonly chain: AuditChain;
  readonly trail: AuditTrail;
  readonly log: Pick<Log, 'info' | 'error'>;
}

export function createAuditRecovery({ repositories, spool, chain, trail, log }: Deps): AuditRecovery {
  const { audit } = repositories;
  const waiting: Orphans[] = [];
  const unfinished = new Set<Promise<void>>();
  let running: Promise<void> | undefined;

  /** Without the entries that an earlier write has stored. */
  async function missing(entries: readonly SpooledEntry[]): Promise<SpooledEntry[]> {
    const chain_ids = entries.flatMap(({ chain_id, tried }) => [chain_id, ...tried.map((it) => it.chain_id)]);
    await audit.awaitWrites([...new Set(chain_ids)].filter((id) => id !== null));
    const keys = new Set(await audit.storedKeys(entries.flatMap(keysOf)));
    const hashes = new Set(await audit.storedHashes(entries.flatMap(({ tried }) => tried)));
    return entries.filter(
      (entry) =>
        !keysOf(entry).some((key) => keys.has(key)) && !entry.tried.some(({ hash }) => hashes.has(hash)),
    );
  }

  async function finish({ file, refused }: Orphans, outcomes: readonly Promise<boolean>[]): Promise<void> {
    const are_done = await Promise.all(outcomes);
    if (!are_done.every(Boolean)) return; // the next start reads the file again
    await (refused > 0 ? file.setAside() : file.remove()).catch((err: unknown) =>
      log.error({ err, file: file.name }, 'A file of overdue audit entries cannot be removed'),
    );
  }

  async function adopt(orphans: Orphans, owed: readonly SpooledEntry[]): Promise<void> {
    const { file, refused } = orphans;
    const finishing = finish(orphans, chain.adopt(owed)).finally(() => unfinished.delete(finishing));
    unfinished.add(finishing);
    if (refused > 0) log.error({ file: file.name, refused_lines: refused }, REFUSED);
    if (owed.length + refused === 0) return;
    log.info({ file: file.name, entries: owed.length }, 'Storing the audit entries of a run that was killed');
    await trail.record(THE_GATEWAY, 'audit_recover', `entries: ${owed.length}, refused lines: ${refused}`);
  }

  async function adoptAll(): Promise<void> {
    waiting.push(...(await spool.orphans()));
    for (let next = waiting[0]; next; next = waiting[0]) {
      const owed = await missing(next.entries); // if it fails, the next run repeats it
      waiting.shift();
      await adopt(next, owed);
    }
  }

  return {
    run() {
      running ??= adoptAll().finally(() => {
        running = undefined;
      });
      return running;
    },
    finish: async () => void (await Promise.all(unfinished)),
  };
}

const REFUSED =
  'Lines in a file of overdue audit entries were not written by this gateway, or were changed since: they are not in the audit log';
