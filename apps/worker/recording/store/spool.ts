import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The directory while casts wait in it for the store: it may grow to `max_bytes`. */
export interface Spool {
  /** It has refused something, and nothing was removed since. */
  isFull(): boolean;
  /** False when that is too much. */
  hasRoom(bytes: number): boolean;
  grow(bytes: number): void;
  /** Measures it again. */
  measure(): Promise<void>;
}

export function createSpool(dir: string, max_bytes: number): Spool {
  let used = 0;
  let is_full = false;
  return {
    isFull: () => is_full,
    hasRoom(bytes) {
      if (used + bytes > max_bytes) is_full = true;
      return used + bytes <= max_bytes;
    },
    grow(bytes) {
      if (bytes < 0) is_full = false;
      used += bytes;
    },
    async measure() {
      const before = used;
      const found = await bytesBelow(dir);
      is_full = false;
      used = found + Math.max(0, used - before); // what was written while it was measured may count twice until the next time
    },
  };
}

async function bytesBelow(dir: string): Promise<number> {
  let total = 0;
  for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) total += await bytesBelow(path);
    else if (entry.isFile())
      total += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return total;
}
