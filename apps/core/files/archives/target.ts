import { Fault, type FaultCode, toFault } from '../../errors.ts';
import { isInside, joinPath } from '../../lib/posix-path.ts';
import type { OnConflict } from '../../model/archive.ts';
import type { DirectoryEntry } from '../../model/directory-entry.ts';
import type { FileSession } from '../../ports/files.ts';
import { isAbsent } from '../absent.ts';
import { unusedName } from './names.ts';
import type { Plan, PlannedFile, SkippedMember } from './plan.ts';

type Entries = ReadonlyMap<string, DirectoryEntry>;

interface TargetDirectory {
  readonly real_path: string;
  /** Undefined for one that does not exist yet. */
  readonly entries: Entries | undefined;
}

export interface TargetFile {
  readonly planned: PlannedFile;
  readonly path: string;
  readonly replaces: boolean;
}

/** What to do on the host. */
export interface Target {
  /** To create, parents first; by their path below the target, which is the key. */
  readonly missing: ReadonlyMap<string, string>;
  readonly files: readonly TargetFile[];
  readonly skipped: readonly SkippedMember[];
  /** Directories in which nothing can be written, and why. */
  readonly blocked: ReadonlyMap<string, Fault>;
}

// Why nothing can be written into one directory, which does not stop the others.
const UNUSABLE_CODES: ReadonlySet<FaultCode> = new Set([
  'file_not_found',
  'member_outside',
  'not_a_directory',
  'permission_denied',
]);

interface Place {
  readonly session: FileSession;
  readonly real_path: string;
  /** Of the archive, which must stay as it is while it is read. */
  readonly archive_path: string;
  readonly on_conflict: OnConflict;
  readonly signal: AbortSignal;
}

/** Compares the plan with what is on the host. Throws `already_exists` if a file exists and `on_conflict` is `refuse`. */
export async function lookAtTarget(plan: Plan, place: Place): Promise<Target> {
  const directories = await lookAtDirectories(plan, place);
  const missing = new Map<string, string>();
  const blocked = new Map<string, Fault>();
  for (const [relative, found] of directories) {
    if (found instanceof Fault) blocked.set(relative, found);
    else if (!found.entries) missing.set(relative, found.real_path);
  }
  const files: TargetFile[] = [];
  const skipped: SkippedMember[] = [];
  const chooseName = createNameChoice(plan, place);
  for (const planned of plan.files) {
    try {
      const { real_path, entries } = existing(directories.get(planned.directory));
      const { name, replaces } = chooseName(planned, entries);
      files.push({ planned, path: joinPath(real_path, name), replaces });
    } catch (error) {
      const fault = toFault(error);
      const is_refused = fault.code === 'already_exists' && place.on_conflict === 'refuse';
      if (is_refused) throw fault;
      skipped.push({ member: planned.member, fault });
    }
  }
  return { missing, files, skipped, blocked };
}

/** Each directory of the plan, or why nothing can be written into it. The key of the target itself is empty. */
async function lookAtDirectories(
  plan: Plan,
  { session, real_path: root, signal }: Place,
): Promise<ReadonlyMap<string, TargetDirectory | Fault>> {
  const directories = new Map<string, TargetDirectory | Fault>();
  const found = await session.statOf(root);
  if (found && found.kind !== 'directory') throw new Fault('not_a_directory');
  directories.set('', found ? await readDirectory(session, root) : { real_path: root, entries: undefined });
  for (const relative of plan.directories) {
    signal.throwIfAborted();
    const cut = relative.lastIndexOf('/');
    const parent = directories.get(relative.slice(0, Math.max(0, cut)));
    const look = async () =>
      lookAtDirectory(session, { root, parent: existing(parent), name: relative.slice(cut + 1) });
    directories.set(
      relative,
      await look().catch((error: unknown) => {
        if (error instanceof Fault && UNUSABLE_CODES.has(error.code)) return error;
        throw error;
      }),
    );
  }
  return directories;
}

interface Looked {
  readonly root: string;
  readonly parent: TargetDirectory;
  readonly name: string;
}

/** A link may stand for a directory, as long as it stays below the target. */
async function lookAtDirectory(
  session: FileSession,
  { root, parent: { real_path, entries }, name }: Looked,
): Promise<TargetDirectory> {
  const path = joinPath(real_path, name);
  const entry = entries?.get(name);
  if (!entry) return { real_path: path, entries: undefined };
  if (!entry.is_symlink) {
    if (!entry.is_dir) throw new Fault('not_a_directory');
    return readDirectory(session, path);
  }
  const real = await session.realpath(path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined; // a dangling link
    throw error;
  });
  if (real === undefined || !isInside(real, root)) throw new Fault('member_outside');
  if (!entry.is_dir) throw new Fault('not_a_directory');
  return readDirectory(session, real);
}

async function readDirectory(session: FileSession, real_path: string): Promise<TargetDirectory> {
  const entries = new Map<string, DirectoryEntry>();
  for (const entry of await session.list(real_path)) entries.set(entry.name, entry);
  return { real_path, entries };
}

function existing(directory: TargetDirectory | Fault | undefined): TargetDirectory {
  if (directory instanceof Fault) throw directory;
  if (!directory) throw new Error('A directory of the plan was not looked at');
  return directory;
}

/** The name that a file gets where its own is taken. */
function createNameChoice(plan: Plan, { archive_path, on_conflict }: Place) {
  const planned_names = new Set(plan.files.map(({ directory, name }) => `${directory}/${name}`));

  function unused({ directory, name }: PlannedFile, entries: Entries | undefined): string {
    const isTaken = (one: string) => entries?.has(one) === true || planned_names.has(`${directory}/${one}`);
    const free = unusedName(name, isTaken);
    planned_names.add(`${directory}/${free}`);
    return free;
  }

  return (planned: PlannedFile, entries: Entries | undefined): { name: string; replaces: boolean } => {
    const { name } = planned;
    const entry = entries?.get(name);
    if (!entry) return { name, replaces: false };
    switch (on_conflict) {
      case 'refuse': {
        const errors = [{ path: 'target_path', message: entry.path }];
        throw new Fault('already_exists', `There is already an item ${entry.path}`, { errors });
      }
      case 'skip':
        throw new Fault('already_exists');
      case 'rename':
        return { name: unused(planned, entries), replaces: false };
      case 'overwrite':
        assertMayOverwrite(entry, archive_path);
        return { name, replaces: true };
    }
  };
}

/** A link is never written through. */
function assertMayOverwrite({ path, is_dir, is_symlink }: DirectoryEntry, archive_path: string): void {
  if (is_dir || is_symlink) throw new Fault('not_a_file');
  if (path === archive_path) throw new Fault('already_exists');
}
