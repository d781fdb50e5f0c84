import { readable } from '#core/lib/paths/path-bytes.ts';
import { nameOf } from '#core/lib/paths/posix-path.ts';
import { fold } from '#core/lib/text/fold.ts'; // systems differ in the Unicode form they store
import { untilAborted } from '#core/lib/time/deadline.ts';
import type { DirectoryEntry } from '#core/model/files/directory-entry.ts';
import type { SearchOptions, SearchResult } from '#core/ports/files.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { followLinks, toEntry } from './listing.ts';
import { walkSteps } from './walk.ts';
import type { Step } from './walk-step.ts';

const MAX_DIRECTORIES = 50_000;

/** Breadth first, so that the limits cut off the deepest entries. */
export async function searchTree(
  channel: SftpChannel,
  root: string,
  { text, limit, longest_ms, signal }: SearchOptions,
): Promise<SearchResult> {
  const time_up = AbortSignal.timeout(longest_ms);
  const either = AbortSignal.any([signal, time_up]);
  const found = createMatches(text, limit);
  try {
    for await (const steps of walkSteps(channel, root, { signal: either, order: 'breadth' })) {
      const matching = found.take(steps);
      await untilAborted(either, followLinks(channel, matching, { signal: either }));
      if (found.isFull()) break;
    }
  } catch (error) {
    if (signal.aborted || !time_up.aborted) throw error;
    return { entries: found.inOrder(), truncated: true };
  }
  return { entries: found.inOrder(), truncated: found.isFull() };
}

function createMatches(text: string, limit: number) {
  const wanted = fold(text);
  const entries: DirectoryEntry[] = [];
  let directories = 0;
  const matches = ({ relative, entry: member, problem }: Step) =>
    relative !== '' && problem === undefined && fold(readable(member.name)).includes(wanted);
  return {
    isFull: () => entries.length > limit || directories > MAX_DIRECTORIES,
    take(steps: readonly Step[]): DirectoryEntry[] {
      directories += steps.filter(({ entry: member }) => member.is_directory).length;
      const room = limit + 1 - entries.length; // one extra shows that there are more
      const matching = steps
        .filter(matches)
        .slice(0, room)
        .map(({ entry: member }) => toEntry(member));
      entries.push(...matching);
      return matching;
    },
    inOrder: () => entries.slice(0, limit).sort(compare),
  };
}

function compare(a: DirectoryEntry, b: DirectoryEntry): number {
  return (
    Number(b.is_dir) - Number(a.is_dir) || order(nameOf(a.path), nameOf(b.path)) || order(a.path, b.path)
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
