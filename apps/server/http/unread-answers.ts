import type { ServerResponse } from 'node:http';
import type { UnreadBounds } from '#api/http/env.ts';

const MIB = 1024 * 1024;

export interface UnreadLimits {
  readonly most_bytes: number;
  readonly most_bytes_of_owner: number;
}

const LIMITS: UnreadLimits = { most_bytes: 128 * MIB, most_bytes_of_owner: 16 * MIB };

/** Bounds the answers that clients do not read. `onOver` calls a function once when the answer has been sent or given up. */
export function createUnreadAnswers(limits: UnreadLimits = LIMITS) {
  const all = new Set<ServerResponse>();
  const owners = new Map<string, Set<ServerResponse>>();

  function keep(outgoing: ServerResponse, owner: string): () => void {
    const own = owners.get(owner) ?? new Set();
    owners.set(owner, own);
    endOldest(own, limits.most_bytes_of_owner);
    endOldest(all, limits.most_bytes);
    own.add(outgoing);
    all.add(outgoing);
    return () => {
      all.delete(outgoing);
      own.delete(outgoing);
      if (own.size === 0) owners.delete(owner);
    };
  }

  return function bound(
    outgoing: ServerResponse,
    { owner, silence_ms, whole_ms }: UnreadBounds,
    onOver: (run: () => void) => void,
  ): void {
    endSilent(outgoing, silence_ms);
    if (owner !== undefined) onOver(keep(outgoing, owner));
    if (whole_ms === undefined) return;
    const timer = setTimeout(() => outgoing.destroy(), whole_ms).unref();
    onOver(() => clearTimeout(timer));
  };
}

/** Ends the answers that have waited longest for their clients until the others fit. */
function endOldest(answers: ReadonlySet<ServerResponse>, most_bytes: number): void {
  let bytes = 0;
  for (const { writableLength } of answers) bytes += writableLength;
  for (const outgoing of answers) {
    if (bytes <= most_bytes) return;
    bytes -= outgoing.writableLength;
    outgoing.destroy();
  }
}

/** Node calls back when nothing has moved on the connection, and counts what the client takes of a long write. */
function endSilent(outgoing: ServerResponse, silence_ms: number): void {
  outgoing.setTimeout(silence_ms, () => {
    if (outgoing.writableLength > 0) outgoing.destroy();
    else outgoing.socket?.setTimeout(silence_ms); // the host or the database is what takes its time
  });
}
