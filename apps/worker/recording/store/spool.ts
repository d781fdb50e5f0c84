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

/** The casts in a directory. */
export interface Backlog {
  readonly files: number;
  readonly bytes: number;
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
      const { bytes } = await backlogOf(dir);
      is_full = false;
      used = bytes + Math.max(0, used - before); // what was written while it was measured may count twice until the next time
    },
  };
}

/** Counts casts only, or the metrics of an empty directory would never be 0. */
export async function backlogOf(dir: string): Promise<Backlog> {
  let files = 0;
  let bytes = 0;
  for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) {
      const below = await backlogOf(path);
      files += below.files;
      bytes += below.bytes;
    } else if (entry.isFile() && entry.name.endsWith('.cast')) {
      const found = await stat(path).catch(() => undefined); // it may be stored by now
      if (found) files += 1;
      bytes += found?.size ?? 0;
    }
  }
  return { files, bytes };
}
