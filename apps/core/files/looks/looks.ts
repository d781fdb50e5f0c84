import type { FilePlace } from '../../accounts/tickets.ts';
import { Fault } from '../../errors.ts';
import { joinPath } from '../../lib/paths/posix-path.ts';
import { untilAborted } from '../../lib/time/deadline.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { FileSession, FileSystemSpace, RemoteFile } from '../../ports/files.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { FileAccess, Granted } from '../access.ts';
import { type ExcerptBounds, type ExcerptPart, type Piece, readHead, readPiece } from './excerpts.ts';
import { assertPlainFile } from './special-files.ts';
import { createTop, type Seen, type TreeBounds, walkBounded } from './trees.ts';

export interface LookBounds extends TreeBounds, ExcerptBounds {}

const BOUNDS: LookBounds = {
  longest_ms: 10_000,
  most_entries: 50_000,
  most_length: 16 * 1024 * 1024,
  most_levels: 40,
  most_bytes: 48 * 1024,
  scan_bytes: 8 * 1024 * 1024,
};

export interface Excerpt extends Omit<Piece, 'bytes'> {
  readonly path: string;
  readonly size: number;
  /** What is not UTF-8 is U+FFFD. */
  readonly text: string;
  /** The beginning of the file. */
  readonly head: string;
}

export interface SizedFile {
  readonly path: string;
  readonly size: number;
  readonly modified: string;
}

export interface SizedDirectory {
  readonly path: string;
  /** Size of all files below it that were seen. */
  readonly size: number;
  readonly files: number;
}

export interface Sizes extends Seen {
  readonly path: string;
  readonly size: number;
  readonly files: number;
  /** Direct subdirectories, the largest first. */
  readonly directories: readonly SizedDirectory[];
  /** At any depth, the largest first. */
  readonly largest: readonly SizedFile[];
}

export interface Recent extends Seen {
  readonly path: string;
  /** At any depth, the latest first. */
  readonly files: readonly SizedFile[];
}

export interface TreePlace extends FilePlace {
  /** How many files and directories are named. */
  readonly limit: number;
}

/** Reads that are bounded in time and size, whatever the host holds. */
export interface Looks {
  /** A part of a text file, which may be large; the rest of it is not read. */
  excerpt(caller: Caller, place: FilePlace & { part: ExcerptPart }, signal?: AbortSignal): Promise<Excerpt>;
  sizes(caller: Caller, place: TreePlace, signal?: AbortSignal): Promise<Sizes>;
  recent(caller: Caller, place: TreePlace, signal?: AbortSignal): Promise<Recent>;
  /** Space of the file system that holds the path; undefined when the host cannot report it. */
  space(caller: Caller, place: FilePlace, signal?: AbortSignal): Promise<FileSystemSpace | undefined>;
}

interface Deps {
  readonly access: FileAccess;
  readonly clock: Pick<Clock, 'after'>;
  readonly bounds?: LookBounds;
}

export function createLooks({ access, clock, bounds = BOUNDS }: Deps): Looks {
  const treeOf = async ({ session, real, signal }: Granted<'sizes' | 'recent'>) => {
    await assertDirectory(session, real.path);
    return { session, real_path: real.path, signal, after: clock.after, bounds };
  };
  return {
    excerpt: (caller, { server_id, path, part }, signal) =>
      access.act({ caller, server_id, operation: 'excerpt', paths: { path }, signal }, async (granted) => {
        const { session, real, shown, signal: lost } = granted;
        assertPlainFile(real.path);
        const opening = session.openRead(real.path);
        return withFile(opening, lost, async (file) => {
          const head = await readHead(file);
          const { bytes, ...place } = await readPiece(file, part, bounds, lost);
          return {
            ...place,
            path: shown.path,
            size: file.stat.size,
            head,
            text: new TextDecoder().decode(bytes),
          };
        });
      }),

    sizes: (caller, { server_id, path, limit }, signal) =>
      access.act({ caller, server_id, operation: 'sizes', paths: { path }, signal }, async (granted) => {
        const { path: root } = granted.shown;
        const largest = createTop<SizedFile>(limit, ({ size }) => size);
        const directories = new Map<string, { size: number; files: number }>();
        let [size, files] = [0, 0];
        const seen = await walkBounded(await treeOf(granted), (relative, stat) => {
          const slash = relative.indexOf('/');
          const child = slash < 0 ? relative : relative.slice(0, slash);
          if (slash < 0 && stat.kind === 'directory') directories.set(child, { size: 0, files: 0 });
          if (stat.kind !== 'file') return;
          size += stat.size;
          files += 1;
          const directory = slash < 0 ? undefined : directories.get(child);
          if (directory) {
            directory.size += stat.size;
            directory.files += 1;
          }
          largest.add({ path: joinPath(root, relative), size: stat.size, modified: stat.modified });
        });
        return {
          ...seen,
          path: root,
          size,
          files,
          largest: largest.items(),
          directories: top(root, directories, limit),
        };
      }),

    recent: (caller, { server_id, path, limit }, signal) =>
      access.act({ caller, server_id, operation: 'recent', paths: { path }, signal }, async (granted) => {
        const { path: root } = granted.shown;
        const latest = createTop<SizedFile>(limit, ({ modified }) => Date.parse(modified));
        const seen = await walkBounded(await treeOf(granted), (relative, { kind, size, modified }) => {
          if (kind === 'file') latest.add({ path: joinPath(root, relative), size, modified });
        });
        return { ...seen, path: root, files: latest.items() };
      }),

    space: (caller, { server_id, path }, signal) =>
      access.act(
        { caller, server_id, operation: 'space', paths: { path }, signal },
        ({ session, real, signal: lost }) => untilAborted(lost, session.space(real.path)),
      ),
  };
}

async function assertDirectory(session: FileSession, path: string): Promise<void> {
  const found = await session.statOf(path);
  if (found && found.kind !== 'directory') throw new Fault('not_a_directory');
}

/** Ends at once with the signal, and closes the file, even if it opens later. */
async function withFile<T>(
  opening: Promise<RemoteFile>,
  signal: AbortSignal,
  work: (file: RemoteFile) => Promise<T>,
): Promise<T> {
  const run = async () => {
    const file = await opening;
    try {
      signal.throwIfAborted();
      return await work(file);
    } finally {
      void file.close();
    }
  };
  return untilAborted(signal, run());
}

function top(
  root: string,
  directories: ReadonlyMap<string, { size: number; files: number }>,
  limit: number,
): readonly SizedDirectory[] {
  const largest = createTop<SizedDirectory>(limit, ({ size }) => size);
  for (const [name, counted] of directories) largest.add({ path: joinPath(root, name), ...counted });
  return largest.items();
}
