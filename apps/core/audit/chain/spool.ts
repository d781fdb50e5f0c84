import { z } from 'zod';
import type { LineSeal } from '../../crypto/line-seal.ts';
import { randomToken } from '../../lib/bytes/bytes.ts';
import type { AuditRecord } from '../../model/audit/audit.ts';
import type { AuditSpool, OrphanedSpool } from '../../ports/audit-spool.ts';
import type { FiredEvent } from '../../ports/repositories/webhooks.ts';
import type { Log } from '../../ports/runtime.ts';

const MAX_REFUSED = 100; // lines; more are not damage but a planted file, and would delay the start

const PlaceLine = z.object({ chain_id: z.string(), seq: z.int(), hash: z.string() });

/** A position in a chain, with the hash that only one entry can have there. */
export type Place = Readonly<z.infer<typeof PlaceLine>>;

const Line = z.object({
  key: z.string().min(1),
  /** The chain that its writer was on; null before the first. */
  chain_id: z.string().nullable(),
  record: z
    .object({
      user_id: z.int().nullable(),
      username: z.string(),
      action: z.string(),
      detail: z.string(),
      ip_address: z.string(),
      created_at: z.string(),
      via: z.string().nullish(),
    })
    .optional(),
  event: z.object({ event: z.unknown(), fired_at: z.string() }).optional(),
  tried: z.array(PlaceLine),
  once: z.string().optional(),
});

/** An entry that waits in a file. */
export interface SpooledEntry {
  /** Unique; stored together with the entry, so that it is never stored twice. */
  readonly key: string;
  readonly chain_id: string | null;
  readonly record: AuditRecord | undefined;
  readonly event: FiredEvent | undefined;
  readonly tried: readonly Place[];
  /** Its name, if it may be stored only once. */
  readonly once?: string | undefined;
}

/** The entries of a run that has ended, in order. */
export interface Orphans {
  readonly file: OrphanedSpool;
  readonly entries: readonly SpooledEntry[];
  /** Lines that this gateway did not write, that were changed since, or that follow too many of these. */
  readonly refused: number;
}

/** Entries that are owed to the database, on disk, so that they survive the process. */
export interface Spool {
  /** Returns the key of each entry once it is on disk; undefined when the disk refuses. */
  keep(entries: readonly Omit<SpooledEntry, 'key'>[]): Promise<string[] | undefined>;
  /** Forgets all entries of this run: they are stored. */
  clear(): Promise<void>;
  /** Files of runs that have ended; each is returned once. */
  orphans(): Promise<Orphans[]>;
}

interface Deps {
  readonly files: AuditSpool;
  readonly seal: LineSeal;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

export function createSpool({ files, seal, log }: Deps): Spool {
  const run_id = randomToken(16);
  let kept = 0;
  let is_used = false;
  let is_failing = false;

  function logFailure(err: unknown): void {
    if (!is_failing) {
      log.warn(
        { err },
        'Overdue audit entries cannot be kept on disk: they are lost if the gateway is killed',
      );
    }
    is_failing = true;
  }

  const claimed = () =>
    files.claim().catch((err: unknown) => {
      logFailure(err);
      return [];
    });

  return {
    async keep(entries) {
      const lines = entries.map((entry) => ({ key: `${run_id}:${++kept}`, ...entry }));
      try {
        is_used = true;
        await files.append(await Promise.all(lines.map((line) => seal.seal(JSON.stringify(line)))));
        is_failing = false;
        return lines.map(({ key }) => key);
      } catch (err) {
        logFailure(err);
        return undefined;
      }
    },

    async clear() {
      if (!is_used) return;
      try {
        await files.clear();
        is_used = false;
      } catch (err) {
        logFailure(err);
      }
    },

    async orphans() {
      const found: Orphans[] = [];
      for (const file of await claimed()) found.push(await opened(file, seal));
      return found;
    },
  };
}

async function opened(file: OrphanedSpool, seal: LineSeal): Promise<Orphans> {
  const lines = await file.lines();
  if (!lines) return { file, entries: [], refused: 1 };
  const entries = new Map<string, SpooledEntry>();
  for (const [i, line] of lines.entries()) {
    if (i - entries.size > MAX_REFUSED) break;
    const text = await seal.open(line);
    const entry = text === undefined ? undefined : toEntry(text);
    if (entry) entries.set(entry.key, entry); // a copied line counts as refused
  }
  return { file, entries: [...entries.values()], refused: lines.length - entries.size };
}

/** Guarantee: a gateway with this key wrote the text, so its event is one of ours. */
function toEntry(text: string): SpooledEntry | undefined {
  const line = Line.safeParse(JSON.parse(text));
  if (!line.success) return undefined;
  const { record, event, ...rest } = line.data;
  return { ...rest, record, event: event as FiredEvent | undefined };
}
