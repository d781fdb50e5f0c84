import { Fault, type FaultCode } from '../../errors.ts';
import { createSlots } from '../../lib/concurrency/limiter.ts';
import type { ServerRow } from '../../model/hosts/server.ts';
import type { FileSession } from '../../ports/files.ts';
import type { RemoteZip, ZipMember } from '../../ports/zip.ts';
import type { Replacements } from '../replacements.ts';
import type { Tally } from './tally.ts';
import type { Target, TargetFile } from './target.ts';

const AT_ONCE = 8; // many small files should not wait a round trip each
const WRITABLE_BY_OTHERS = 0o022;

// Faults of one member, which do not stop the others.
const SKIPPED_CODES: ReadonlySet<FaultCode> = new Set([
  'already_exists',
  'archive_damaged',
  'file_not_found',
  'name_too_long',
  'not_a_directory',
  'not_a_file',
  'path_outside_allowed',
  'permission_denied',
]);

export interface ExtractJob {
  readonly session: FileSession;
  readonly server: ServerRow;
  readonly user_id: number;
  readonly replacements: Replacements;
  readonly zip: RemoteZip;
  /** Where each member has to end. */
  readonly ends: ReadonlyMap<ZipMember, number>;
  readonly target: Target;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** Directories first, then several files at once, each of which appears only when it is complete. */
export async function extractAll(job: ExtractJob): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([job.signal, failed.signal]);
  const acquireSlot = createSlots({ concurrency: AT_ONCE });
  const directories = createDirectories(job, signal);
  const running = new Set<Promise<void>>();

  async function start(work: () => Promise<void>): Promise<void> {
    const release = await acquireSlot(signal);
    const done: Promise<void> = work()
      .catch((error: unknown) => failed.abort(error))
      .finally(() => {
        running.delete(done);
        release();
      });
    running.add(done);
  }
  try {
    for (const relative of job.target.missing.keys()) await start(() => directories.attempt(relative));
    for (const file of job.target.files) await start(() => extractOne(job, { file, directories, signal }));
  } catch (error) {
    failed.abort(error);
  }
  await Promise.all(running);
  if (failed.signal.aborted) throw failed.signal.reason;
}

type Directories = ReturnType<typeof createDirectories>;

interface One {
  readonly file: TargetFile;
  readonly directories: Directories;
  readonly signal: AbortSignal;
}

async function extractOne(job: ExtractJob, { file, directories, signal }: One): Promise<void> {
  const { session, server, user_id, replacements, zip, ends, tally } = job;
  const { member, directory } = file.planned;
  try {
    await directories.created(directory);
    signal.throwIfAborted();
    await replacements.put(session, server, {
      user_id,
      target_path: file.path,
      source: zip.content(member, ends.get(member) ?? 0),
      overwrite: file.replaces,
      present: file.replaces ? undefined : { stat: undefined },
      mode: member.mode === undefined ? undefined : member.mode & ~WRITABLE_BY_OTHERS,
      modified: member.modified,
      signal,
      onWritten: (bytes) => tally.add(bytes, member),
    });
  } catch (error) {
    if (signal.aborted || !isOfOneMember(error)) throw error;
    tally.skip(member, error);
    return;
  }
  tally.fileDone(file);
}

function isOfOneMember(error: unknown): error is Fault {
  return error instanceof Fault && SKIPPED_CODES.has(error.code);
}

/** Missing directories, each created once, after its parent. */
function createDirectories({ session, target, tally }: ExtractJob, signal: AbortSignal) {
  const begun = new Map<string, Promise<void>>();

  async function make(relative: string, path: string): Promise<void> {
    if (relative !== '') await created(relative.slice(0, Math.max(0, relative.lastIndexOf('/'))));
    signal.throwIfAborted();
    await session.makeDirectory(path); // taken: by a name that differs in case, where the host ignores it
    tally.directoryDone();
  }
  function created(relative: string): Promise<void> {
    const path = target.missing.get(relative);
    if (path === undefined) return Promise.resolve();
    const making = begun.get(relative) ?? make(relative, path);
    begun.set(relative, making);
    return making;
  }
  return {
    created,
    attempt: (relative: string) =>
      created(relative).catch((error: unknown) => {
        if (!isOfOneMember(error)) throw error;
        tally.skipDirectory(relative, error);
      }),
  };
}
