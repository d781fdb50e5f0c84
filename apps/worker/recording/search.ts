import type { CastMatch } from '#core/ports/casts.ts';
import type { Threads } from '../threads/threads.ts';
import type { ReadingVerbs } from './verbs.ts';

let last_id = 0;

/** Searches one cast in the thread; an abort or an error stops the work there. */
export async function searchCast(
  threads: Threads<ReadingVerbs>,
  { file, text, signal }: { readonly file: string; readonly text: string; readonly signal: AbortSignal },
): Promise<CastMatch[]> {
  const thread = threads.get();
  const id = ++last_id;
  const release = thread.hold(() => {}); // pending calls report it
  const found: CastMatch[] = [];
  try {
    await thread.call('search', { id, file, text });
    for (;;) {
      const { matches, is_over } = await thread.call('find', { id });
      found.push(...matches);
      if (is_over) return found;
      if (signal.aborted) {
        await thread.call('drop_search', { id });
        return found;
      }
    }
  } finally {
    release();
  }
}
