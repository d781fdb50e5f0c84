import { Fault, toFault } from '../../errors.ts';
import { chunksOf } from '../../lib/bytes/chunks-of.ts';
import { createSlots } from '../../lib/concurrency/limiter.ts';
import { joinPath, nameOf } from '../../lib/paths/posix-path.ts';
import type { Copied, CopyEvent } from '../../model/files/file-change.ts';
import { isPartPath } from '../../policy/part-path.ts';
import type { FileStat, Walked } from '../../ports/files.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Replacements } from '../replacements.ts';
import { sized } from '../sized-file.ts';
import type { CopyPlace, CopySource, CopyTarget } from './ends.ts';
import { startTotal, type Totalling } from './total.ts';

const FILES_AT_ONCE = 8; // many small files should not wait a round trip each
const SHOWN_SKIPPED = 100;
// A copy that finds its own target through a mount, or a hostile host, would otherwise never end.
const LIMITS = { depth: 100, entries: 10_000_000, paths_length: 64 * 1024 * 1024 };
const REPORT_MS = 200; // how often progress is reported
// Faults of one source file, which do not stop the others.
const SKIPPED_CODES = new Set([
  'permission_denied',
  'file_not_found',
  'not_a_file',
  'path_outside_allowed',
  'sftp_failed',
]);

export type CopyProgress = Extract<CopyEvent, { type: 'progress' }>;

export interface CopyJob {
  readonly from: CopySource;
  readonly to: CopyTarget;
  readonly place: CopyPlace;
  readonly overwrite: boolean;
  /** A file beside or in the target: a source that contains it contains the target. */
  readonly marker_name: string | undefined;
  /** Undefined if nobody watches. */
  readonly watch: ((event: CopyProgress) => void) | undefined;
  readonly replacements: Replacements;
  readonly user_id: number;
  readonly clock: Clock;
  readonly meter: Pick<Meter, 'add'>;
}

/** The copy of a source directory. */
interface TargetDirectory {
  readonly real_path: string;
  /** Created by this copy, so nothing in it can conflict. */
  readonly is_fresh: boolean;
}

const tooLarge = (limit: number, what: string, path: string) =>
  new Fault('tree_too_large', `A copy ends at ${limit.toLocaleString('en')} ${what}: ${path}`);

/** Throws `tree_too_large` for an entry beyond the limits. */
function createBound({ depth, entries }: typeof LIMITS): (walked: Walked) => void {
  let seen = 0;
  return ({ relative, path }) => {
    seen += 1;
    if (seen > entries) throw tooLarge(entries, 'entries', path);
    if (relative.split('/', depth + 1).length > depth) throw tooLarge(depth, 'nested directories', path);
  };
}

/** Copies a file, or a directory with its content: parents first, several files at once. */
export async function copyTree(job: CopyJob, limits = LIMITS): Promise<Omit<Copied, 'path'>> {
  const { from, to, place } = job;
  const directories = createTargetDirectories(job, limits);
  const failed = new AbortController();
  const signal = AbortSignal.any([from.signal, to.signal, failed.signal]);
  const counted = new AbortController();
  const until = AbortSignal.any([signal, counted.signal]);
  const totalling = job.watch && startTotal(from.session, from.real.source_path, until);
  const tally = createTally(job, totalling);
  const running = new Set<Promise<void>>();
  const acquireSlot = createSlots({ concurrency: FILES_AT_ONCE });
  const assertWithin = createBound(limits);

  async function take(walked: Walked): Promise<void> {
    const { relative } = walked;
    assertWithin(walked);
    if (!walked.stat) {
      if (relative === '') throw new Fault('sftp_failed', walked.problem);
      return tally.skip(walked.path, walked.problem);
    }
    const { path, stat } = walked;
    if (nameOf(path) === job.marker_name) throw new Fault('into_itself');
    if (stat.kind === 'directory') return directories.create(relative);
    if (stat.kind !== 'file' && relative === '') throw new Fault('not_a_file');
    if (stat.kind !== 'file')
      return tally.skip(path, stat.kind === 'symlink' ? 'a link' : 'not a regular file');
    if (relative !== '' && isPartPath(path)) return tally.skip(path, 'an upload in progress');
    const release = await acquireSlot();
    const work = (async () => {
      const target_path = relative === '' ? place.real_path : await directories.pathOf(relative);
      await copyFile(job, { path, target_path, stat, signal, tally });
    })().catch((error: unknown) => failed.abort(error));
    const done: Promise<void> = work.finally(() => {
      running.delete(done);
      release();
    });
    running.add(done);
  }

  try {
    for await (const walked of from.session.walk(from.real.source_path, { signal })) {
      signal.throwIfAborted();
      await take(walked);
    }
  } catch (error) {
    failed.abort(error);
  }
  await Promise.all(running);
  counted.abort();
  await totalling?.ended;
  if (failed.signal.aborted) throw failed.signal.reason;
  return tally.total();
}

interface FileJob {
  readonly path: string;
  readonly target_path: string;
  readonly stat: FileStat;
  readonly signal: AbortSignal;
  readonly tally: Tally;
}

async function copyFile(job: CopyJob, { path, target_path, stat, signal, tally }: FileJob): Promise<void> {
  const { from, to, overwrite, replacements, user_id } = job;
  const opened = await from.session.openRead(path).then(sized, (error: unknown) => {
    if (path === from.real.source_path || !SKIPPED_CODES.has(toFault(error).code)) throw error;
    tally.skip(path, toFault(error).detail);
  });
  if (!opened) return;
  try {
    await replacements.put(to.session, to.server, {
      user_id,
      target_path,
      source: chunksOf(opened.stream({ start: 0, end: opened.stat.size - 1 })),
      overwrite,
      mode: stat.mode & 0o777,
      signal,
      onWritten: (bytes) => tally.add(bytes, path),
    });
  } catch (error) {
    await opened.close(); // its stream may not have been read yet
    throw error;
  }
  tally.fileDone(path);
}

/** Target directories by relative path; an existing one may be a link, so it is checked. */
function createTargetDirectories({ to, place, overwrite }: CopyJob, { paths_length }: typeof LIMITS) {
  const directories = new Map<string, TargetDirectory>();
  let length = 0; // of all paths that are kept
  const parentDirectory = (relative: string): TargetDirectory => {
    const found = directories.get(relative.slice(0, Math.max(0, relative.lastIndexOf('/'))));
    if (!found) throw new Fault('sftp_failed', 'The host listed a file before its directory');
    return found;
  };

  async function pathOf(relative: string): Promise<string> {
    const parent = parentDirectory(relative);
    const path = joinPath(parent.real_path, nameOf(`/${relative}`));
    return parent.is_fresh ? path : (await to.judge({ target_path: path })).target_path;
  }
  return {
    pathOf,
    async create(relative: string): Promise<void> {
      const real_path = relative === '' ? place.real_path : await pathOf(relative);
      length += relative.length + real_path.length;
      if (length > paths_length)
        throw tooLarge(paths_length, 'characters in the paths of all directories', real_path);
      try {
        await to.session.makeDirectory(real_path);
        directories.set(relative, { real_path, is_fresh: true });
      } catch (error) {
        if (!overwrite || toFault(error).code !== 'already_exists') throw error;
        if ((await to.session.statOf(real_path))?.kind !== 'directory') throw error;
        directories.set(relative, { real_path, is_fresh: false });
      }
    },
  };
}

interface Tally {
  add(bytes: number, path: string): void;
  fileDone(path: string): void;
  skip(path: string, reason: string): void;
  total(): Omit<Copied, 'path'>;
}

function createTally(
  {
    from: {
      real: { source_path },
    },
    watch,
    clock,
    meter,
  }: CopyJob,
  totalling: Totalling | undefined,
): Tally {
  let told_ms = Number.NEGATIVE_INFINITY;
  let bytes = 0;
  let files = 0;
  let skipped_count = 0;
  const skipped: { path: string; reason: string }[] = [];
  let present = source_path;
  const report = () => watch?.({ type: 'progress', bytes, files, path: present, ...totalling?.known() });
  void totalling?.ended.then(() => totalling.known() && report());
  function tell(path: string): void {
    present = path;
    const now_ms = clock.elapsed_ms();
    if (now_ms - told_ms < REPORT_MS) return;
    told_ms = now_ms;
    report();
  }
  return {
    add(more, path) {
      bytes += more;
      meter.add('bytes_copied', more);
      tell(path);
    },
    fileDone(path) {
      files += 1;
      meter.add('copies');
      tell(path);
    },
    skip(path, reason) {
      skipped_count += 1;
      if (skipped.length < SHOWN_SKIPPED) skipped.push({ path, reason });
    },
    total: () => ({ bytes, files, skipped, skipped_count }),
  };
}
