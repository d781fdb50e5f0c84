import { createHash } from 'node:crypto';
import type { AuditChain } from '#core/audit/chain/appends.ts';
import { Fault } from '#core/errors.ts';
import type { AuditRecord, AuditRow } from '#core/model/audit/audit.ts';
import type { RecordingRow } from '#core/model/recording.ts';
import type { CastEnd, CastListener, Casts, CastWriter } from '#core/ports/casts.ts';
import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import type { RecordingRepository } from '#core/ports/repositories/recordings.ts';

type Filter = Parameters<RecordingRepository['page']>[0];

/** The recording repository in memory; a row is an orphan when its run is not in `running`. */
export function recordingsInMemory(running: readonly string[]) {
  const rows = new Map<number, RecordingRow>();
  let last_id = 0;
  const all = () => [...rows.values()].reverse();
  const matching = ({ user_id, to }: Filter) =>
    all().filter(
      (row) =>
        (user_id === undefined || row.user_id === user_id) && (to === undefined || row.started_at < to),
    );
  const recordings: RecordingRepository = {
    async insert(row) {
      last_id += 1;
      rows.set(last_id, { ...row, id: last_id });
      return { ...row, id: last_id };
    },
    async close(id, end) {
      const row = rows.get(id);
      if (!row || !(row.status === 'recording' || (row.status !== end.status && end.status === 'finished')))
        return false;
      rows.set(id, { ...row, ...end });
      return true;
    },
    byId: async (id) => rows.get(id),
    async adopt(id, run_id) {
      const row = rows.get(id);
      if (!row || row.status === 'finished') return undefined;
      rows.set(id, { ...row, run_id, status: 'recording' });
      return rows.get(id);
    },
    page: async (filter, { limit, offset, before }) =>
      matching(filter)
        .filter((row) => !before || comesAfter(row, before))
        .slice(offset, offset + limit),
    count: async (filter) => matching(filter).length,
    remove: async (id) => rows.delete(id),
    oldest: async () => [],
    totalBytes: async () => 0,
    toStore: async (limit, { directory_id, after_id }) =>
      [...rows.values()]
        .filter((row) => row.status !== 'recording' && row.directory_id === directory_id && row.id > after_id)
        .slice(0, limit),
    async moveTo(id, directory_id) {
      const row = rows.get(id);
      if (row) rows.set(id, { ...row, directory_id });
      return row !== undefined;
    },
    removeLater: async () => false,
    toRemove: async () => [],
    orphans: async () => all().filter((row) => row.status === 'recording' && !running.includes(row.run_id)),
  };
  return { recordings, rows };
}

function comesAfter(row: RecordingRow, before: Pick<RecordingRow, 'id' | 'started_at'>): boolean {
  return row.started_at < before.started_at || (row.started_at === before.started_at && row.id < before.id);
}

/** Files as strings; the test decides what a cast becomes. */
export function castsInMemory() {
  const files = new Map<string, string>();
  const listeners: CastListener[] = [];
  const textOf = (path: string): string => {
    const text = files.get(path);
    if (text === undefined) throw new Fault('recording_file_missing');
    return text;
  };
  const endOf = (path: string): CastEnd => ({
    size_bytes: textOf(path).length,
    duration_s: 1.5,
    sha256: createHash('sha256').update(textOf(path)).digest('hex'),
  });
  const writerOf = (path: string): CastWriter => ({
    output: (bytes) => void files.set(path, textOf(path) + new TextDecoder().decode(bytes)),
    resize: ({ cols, rows }) => void files.set(path, `${textOf(path)}${cols}x${rows}`),
    close: async () => endOf(path),
    abandon: async () => undefined,
  });
  const casts: Casts = {
    store: undefined,
    probe: async () => {},
    directoryId: async () => null,
    async create({ path, title }, listener) {
      files.set(path, `${title}\n`);
      listeners.push(listener);
      return writerOf(path);
    },
    async resume({ path, position }, listener) {
      files.set(path, textOf(path).slice(0, position.size_bytes));
      listeners.push(listener);
      return writerOf(path);
    },
    size: async (path) => textOf(path).length,
    read: (path, range) => streamOf(textOf(path).slice(range?.start, range?.end)),
    text: (path) => streamOf(textOf(path)),
    search: async () => [],
    digest: async (path) => endOf(path),
    remove: async (path) => void files.delete(path),
  };
  return { casts, files, listeners, endOf };
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** An audit log that finds its entries by action and words. */
export function logInMemory() {
  const entries: AuditRow[] = [];
  const chain: AuditChain = {
    append: async (record: AuditRecord) =>
      void entries.push({
        ...record,
        id: entries.length + 1,
        chain_id: 'a',
        seq: entries.length + 1,
        hash: '',
      }),
    fire: async () => {},
    adopt: () => [],
    settle: async () => {},
    close: async () => {},
    head: () => undefined,
  };
  const audit = {
    page: async ({ action, search = '' }) =>
      [...entries]
        .reverse()
        .filter(
          (entry) => entry.action === action && entry.detail.toLowerCase().includes(search.toLowerCase()),
        ),
  } as Partial<AuditRepository> as AuditRepository; // The recording services only page through it.
  return { chain, audit, entries };
}
