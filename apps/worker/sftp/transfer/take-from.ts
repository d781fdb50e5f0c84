import type { ByteSource } from '#core/ports/files.ts';
import { untilAborted } from '../until-aborted.ts';

/** What the source gives, until it ends or the signal aborts; it is ended in any case, even while it has nothing. */
export async function* takeFrom(source: ByteSource, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let has_ended = false;
  try {
    for (;;) {
      const next = await untilAborted(signal, iterator.next());
      has_ended = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not waited for: a source that hangs takes this only when it goes on.
    if (!has_ended) iterator.return?.().then(ignore, ignore);
  }
}

const ignore = () => {};
