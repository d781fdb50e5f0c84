import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import { joinSignals } from '../../lib/concurrency/joined-signal.ts';
import { startDeadline } from '../../lib/time/deadline.ts';
import type { After } from '../../lib/time/timers.ts';
import type { FileSession, FileStat } from '../../ports/files.ts';
import { isLeftOut } from './special-files.ts';

export interface TreeBounds {
  readonly longest_ms: number;
  readonly most_entries: number;
  /** Characters in the names of all entries; cut off like too many entries. */
  readonly most_length: number;
  /** Levels below the directory that was asked for. */
  readonly most_levels: number;
}

export interface TreeWalk {
  readonly session: FileSession;
  readonly real_path: string;
  readonly signal: AbortSignal;
  readonly after: After;
  readonly bounds: TreeBounds;
}

/** What was seen of a tree. */
export interface Seen {
  readonly entries: number;
  readonly unreadable: number;
  /** Why not everything was looked at. */
  readonly cut: 'time' | 'entries' | 'depth' | undefined;
}

/** Level by level, so that a bound cuts off the deepest entries. Links are not followed. */
export async function walkBounded(
  { session, real_path, signal, after, bounds }: TreeWalk,
  take: (relative: string, stat: FileStat) => void,
): Promise<Seen> {
  const deadline = startDeadline({ after, ms: bounds.longest_ms, error: () => new Error('The time is up') });
  const either = joinSignals(signal, deadline.signal);
  const giveWay = createGiveWay();
  let [entries, unreadable, length] = [0, 0, 0];
  let cut: Seen['cut'];
  const enters = (path: string, relative: string) => {
    if (isLeftOut(path, real_path)) return false;
    if (levelOf(relative) < bounds.most_levels) return true;
    cut ??= 'depth';
    return false;
  };
  try {
    for await (const walked of session.walk(real_path, { signal: either.signal, order: 'breadth', enters })) {
      either.signal.throwIfAborted();
      if (walked.problem !== undefined) unreadable += 1;
      else if (walked.relative !== '') take(walked.relative, walked.stat);
      if (walked.relative !== '') entries += 1;
      length += walked.relative.length;
      if (entries >= bounds.most_entries || length >= bounds.most_length) {
        cut = 'entries';
        break;
      }
      await giveWay();
    }
  } catch (error) {
    if (signal.aborted || !deadline.signal.aborted) throw error;
    cut = 'time';
  } finally {
    either.leave();
    deadline.cancel();
  }
  return { entries, unreadable, cut };
}

function levelOf(relative: string): number {
  return relative.split('/').length;
}

/** The greatest items, greatest first. */
export function createTop<T>(count: number, weightOf: (item: T) => number) {
  const top: T[] = [];
  return {
    add(item: T): void {
      const weight = weightOf(item);
      const least = top.at(-1);
      if (top.length >= count && least !== undefined && weightOf(least) >= weight) return;
      let at = top.length;
      for (let before = top[at - 1]; before !== undefined && weightOf(before) < weight; before = top[at - 1])
        at -= 1;
      top.splice(at, 0, item);
      if (top.length > count) top.pop();
    },
    items: (): readonly T[] => top,
  };
}
