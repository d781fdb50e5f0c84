import { Fault } from '../errors.ts';
import { untilAborted } from '../lib/time/deadline.ts';
import type { RecordingRow } from '../model/recording.ts';
import type { CastStore, Casts } from '../ports/casts.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import type { RecordingsDirectory } from './directory.ts';

const PAGE = 100;
const AT_ONCE = 4;
const INTERVAL_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
const SOON_MS = 100; // several terminals may end at once
const LAST_MS = 10_000; // for what is over when the gateway stops

/** Moves the recordings that are over from the directory into the store. Does nothing without one. */
export interface RecordingStoring {
  start(): void;
  /** A recording is over. */
  soon(): void;
  /** Begins no further round; one that is under way has some seconds. */
  windDown(): void;
  /** Moves what the stop of the gateway has ended, within the rest of these seconds. */
  stop(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'recordings'>;
  readonly casts: Casts;
  readonly directory: RecordingsDirectory;
  readonly clock: Pick<Clock, 'after'>;
  readonly background: Background;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly run_id: string;
}

export function createRecordingStoring(deps: Deps): RecordingStoring {
  const { casts, clock, background, log } = deps;
  const { store } = casts;
  if (!store) return { start() {}, soon() {}, windDown() {}, async stop() {} };
  const stopped = new AbortController();
  const round = createRound({ ...deps, store, signal: stopped.signal });
  let cancel = () => {};
  let cancelLast = () => {};
  let is_running = false;
  let is_winding_down = false;
  let is_awaited = false;
  let retry_ms = 0;

  function later(ms: number): void {
    cancel();
    if (!is_winding_down) cancel = clock.after(ms, () => background.run('storing recordings', run()));
  }

  /** Logs only the first of several failures in a row. */
  function failed(error: unknown): void {
    if (is_winding_down) return;
    if (retry_ms === 0) log.error({ reason: reasonOf(error) }, AWAY);
    retry_ms = Math.min(INTERVAL_MS, Math.max(FIRST_RETRY_MS, retry_ms * 2));
  }

  async function run(): Promise<void> {
    if (is_running) return;
    is_running = true;
    is_awaited = false;
    try {
      await round();
      if (retry_ms > 0) log.info({}, 'The recordings store can be used again');
      retry_ms = 0;
    } catch (error) {
      failed(error);
    } finally {
      is_running = false;
      later(retry_ms || (is_awaited ? SOON_MS : INTERVAL_MS));
    }
  }

  return {
    start: () => later(0),
    soon() {
      is_awaited = true;
      if (!is_running && retry_ms === 0) later(SOON_MS);
    },
    windDown() {
      cancel();
      is_winding_down = true;
      cancelLast = clock.after(LAST_MS, () => stopped.abort(new Error('The gateway is stopping')));
    },
    async stop() {
      if (is_winding_down && retry_ms === 0) {
        const last = untilAborted(stopped.signal, round());
        await last.catch((error: unknown) => log.error({ reason: reasonOf(error) }, AWAY)); // the next start goes on
      }
      cancelLast();
      stopped.abort(new Error('The gateway is stopping'));
    },
  };
}

const AWAY = 'The recordings store cannot be used: recordings wait in SERVICE_RECORDINGS_DIR';

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

interface RoundDeps extends Deps {
  readonly store: CastStore;
  readonly signal: AbortSignal;
}

/** Rejects when the store cannot be used; a recording that cannot be moved does not keep the others. */
function createRound({ repositories, casts, store, directory, run_id, log, signal }: RoundDeps) {
  const { recordings } = repositories;

  async function move(row: RecordingRow): Promise<void> {
    const found = await store.take(row.file_path, signal);
    if (found === 'busy') return;
    if (found === 'missing')
      log.error({ recording: row.id, path: row.file_path }, 'The file of a recording is missing');
    // The recording was deleted during the upload: its object must not outlive it.
    if (!(await recordings.moveTo(row.id, store.id))) await casts.remove(row.file_path);
  }

  async function removeOne({ id, file_path }: RecordingRow): Promise<void> {
    await casts.remove(file_path);
    await recordings.remove(id);
  }

  async function each(rows: readonly RecordingRow[], work: (row: RecordingRow) => Promise<void>) {
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      signal.throwIfAborted();
      const some = rows.slice(at, at + AT_ONCE);
      const results = await Promise.allSettled(some.map(work));
      for (const [i, result] of results.entries()) {
        if (result.status === 'fulfilled') continue;
        if (isStoreFault(result.reason)) throw result.reason;
        log.error(
          { recording: some[i]?.id, reason: reasonOf(result.reason) },
          'A recording could not be moved',
        );
      }
    }
  }

  async function moveAll(directory_id: string): Promise<void> {
    for (let after_id = 0; ; ) {
      const rows = await recordings.toStore(PAGE, { directory_id, run_id, after_id });
      await each(rows, move);
      const last = rows.at(-1);
      if (!last) return;
      after_id = last.id;
    }
  }

  async function removeDue(place: string): Promise<void> {
    for (let first_id = 0; ; ) {
      const rows = await recordings.toRemove(PAGE, place);
      await each(rows, removeOne);
      if (rows.length < PAGE || rows[0]?.id === first_id) return; // the same again: it cannot be removed
      first_id = rows[0]?.id ?? 0;
    }
  }

  return async (): Promise<void> => {
    await store.check();
    const directory_id = await directory.find({ create: false });
    // A directory that was unmounted has lost no recordings.
    const is_there = directory_id !== null && directory_id === (await casts.directoryId({ create: false }));
    if (is_there) await moveAll(directory_id);
    if (is_there) await removeDue(directory_id);
    await removeDue(store.id);
  };
}

function isStoreFault(error: unknown): boolean {
  return (
    error instanceof Fault &&
    (error.code === 'recording_store_unreachable' || error.code === 'recording_store_refused')
  );
}
