import { type HeldRight, holdRight } from '../activities/held-right.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { createFairSlots } from '../lib/concurrency/fair-slots.ts';
import { joinSignals } from '../lib/concurrency/joined-signal.ts';
import type { Caller } from '../model/accounts/caller.ts';
import {
  type RecordingRow,
  type RecordingSearch,
  type RecordingSearchEvent,
  toRecording,
} from '../model/recording.ts';
import { assertMay } from '../policy/account.ts';
import { seesAllRecordings } from '../policy/recording-access.ts';
import type { Casts } from '../ports/casts.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { RecordingHomes } from './homes.ts';

const FILES_AT_ONCE = 4; // they share one thread
const MOST_SEARCHES = 100; // under way, one of each user
const PAGE = 50;
const MOST_MS = 60_000;
const MOST_FOUND = 200;
const RETRY_S = 5;
const UNREADABLE: ReadonlySet<string> = new Set([
  'recording_file_missing',
  'recording_store_unreachable',
  'recording_store_refused',
]);

interface Run {
  readonly ended: AbortSignal;
  /** It has taken its time. */
  readonly late: AbortSignal;
  readonly emit: Emit;
  /** Waits until it may read a file; the result ends its turn. */
  turn(): Promise<() => void>;
}

type Filter = Omit<RecordingSearch, 'text'> & { readonly user_id: number | undefined };

type Emit = (event: RecordingSearchEvent) => void;

/** Searches what terminals showed. */
export interface RecordingSearches {
  /**
   * Throws before any work when the search cannot begin. The result runs it, and throws `transfer_ended` when the caller
   * loses the right to it.
   */
  begin(caller: Caller, asked: RecordingSearch): Promise<(signal: AbortSignal, emit: Emit) => Promise<void>>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'recordings'>;
  readonly casts: Pick<Casts, 'search'>;
  readonly homes: RecordingHomes;
  readonly trail: AuditTrail;
  readonly activities: ActivityRegistry;
  readonly clock: Clock;
  readonly demo_mode: boolean;
}

export function createRecordingSearches(deps: Deps): RecordingSearches {
  const { repositories, casts, homes, trail, activities, clock, demo_mode } = deps;
  const { recordings } = repositories;
  const under_way = new Set<number>(); // users
  const tooMany = () => new Fault('too_many_searches', undefined, { retry_after: RETRY_S });
  // Users take turns file by file, so that long searches do not keep the others waiting.
  const acquireFile = createFairSlots({
    concurrency: FILES_AT_ONCE,
    concurrency_per_owner: 1,
    max_waiting: MOST_SEARCHES,
    max_waiting_per_owner: 1,
    tooMany,
  });

  /** The matches in one file; undefined when this instance cannot read it. */
  async function matchesIn(row: RecordingRow, text: string, signal: AbortSignal) {
    try {
      if ((await homes.of(row)).kind !== 'here') return undefined;
      return await casts.search(row.file_path, text, signal);
    } catch (error) {
      if (error instanceof Fault && UNREADABLE.has(error.code)) return undefined;
      throw error;
    }
  }

  /** In pages by time and id, because recordings are added and deleted while the search runs. */
  async function* rowsOf(filter: Filter): AsyncGenerator<RecordingRow> {
    let before: RecordingRow | undefined;
    do {
      const rows = await recordings.page(filter, { limit: PAGE, offset: 0, before });
      yield* rows;
      before = rows.at(-1);
    } while (before);
  }

  async function run(caller: Caller, { text, ...asked }: RecordingSearch, { ended, late, emit, turn }: Run) {
    const user_id = seesAllRecordings(caller) ? undefined : caller.user_id;
    const filter = { ...asked, user_id };
    const total = demo_mode ? 0 : await recordings.count(filter);
    const either = AbortSignal.any([ended, late]);
    let [searched, skipped, found] = [0, 0, 0];
    for await (const row of total === 0 ? [] : rowsOf(filter)) {
      const endTurn = await turn();
      const searching = late.aborted ? Promise.resolve(undefined) : matchesIn(row, text, either);
      const matches = await searching.finally(endTurn);
      if (ended.aborted) return;
      if (late.aborted && searched > 0)
        return emit({ type: 'done', searched, skipped, continue_to: afterStart(row) }); // it may be half searched
      searched += 1;
      if (matches === undefined) skipped += 1;
      else if (matches.length > 0) {
        found += 1;
        emit({ type: 'found', recording: toRecording(row), matches });
      }
      if (found === MOST_FOUND)
        return emit({ type: 'done', searched, skipped, continue_to: afterStart(row) });
      if (searched % PAGE === 0) emit({ type: 'progress', searched, total });
    }
    emit({ type: 'done', searched, skipped, continue_to: null });
  }

  return {
    async begin(caller, asked) {
      assertMay(caller, 'search_recordings');
      if (under_way.has(caller.user_id) || under_way.size >= MOST_SEARCHES) throw tooMany();
      const right = holdSearch(activities, caller);
      under_way.add(caller.user_id);
      try {
        await trail.record(caller, 'recording_search', JSON.stringify(asked.text), { retry: false });
      } catch (error) {
        under_way.delete(caller.user_id);
        right.release();
        throw error;
      }
      return async (gone, emit) => {
        const { signal: ended, leave } = joinSignals(gone, right.signal);
        const late = new AbortController();
        let stopTimer: (() => void) | undefined;
        /** Waiting for the first turn takes nothing of its time. */
        const turn = async () => {
          const endTurn = await acquireFile(String(caller.user_id), ended);
          stopTimer ??= clock.after(MOST_MS, () => late.abort());
          return endTurn;
        };
        try {
          await run(caller, asked, { ended, late: late.signal, emit, turn });
        } catch (error) {
          if (!ended.aborted) throw error;
        } finally {
          leave();
          right.release();
          stopTimer?.();
          under_way.delete(caller.user_id);
        }
        right.signal.throwIfAborted();
      };
    },
  };
}

/** Registers a search so that a loss of rights ends it. */
function holdSearch(activities: ActivityRegistry, caller: Caller): HeldRight {
  const use = seesAllRecordings(caller) ? 'search_all' : 'search';
  return holdRight(activities, caller, {
    add: (info, end) => activities.addSearch(info, use, end),
    reasonOf: (fault) => (fault.code === 'shutting_down' ? fault : new Fault('transfer_ended', fault.detail)),
  });
}

/** `to` is exclusive, and this recording is searched again. */
function afterStart({ started_at }: RecordingRow): string {
  return new Date(Date.parse(started_at) + 1).toISOString();
}
