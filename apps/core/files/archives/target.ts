import { Fault, type FaultCode, toFault } from '../../errors.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import { isInside, joinPath } from '../../lib/paths/posix-path.ts';
import type { OnConflict } from '../../model/files/archive.ts';
import type { DirectoryEntry } from '../../model/files/directory-entry.ts';
import type { FileSession } from '../../ports/files.ts';
import { isAbsent } from '../absent.ts';
import { unusedName } from './names.ts';
import type { Plan, PlannedFile, SkippedMember } from './plan.ts';

interface TargetDirectory {
  readonly real_path: string;
  /** What has a name of the plan; undefined for a directory that does not exist yet. */
  readonly entries: ReadonlyMap<string, DirectoryEntry> | undefined;
  /** The names that files get whose own is taken. */
  readonly free_names: ReadonlyMap<string, string>;
}

/** The names that the plan has in one directory. */
interface PlannedNames {
  readonly files: Set<string>;
  readonly directories: Set<string>;
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
  /** Path of the archive, which must not be replaced while it is read. */
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
  const giveWay = createGiveWay();
  for (const planned of plan.files) {
    await giveWay();
    try {
      files.push(targetFile(planned, existing(directories.get(planned.directory)), place));
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
  place: Place,
): Promise<ReadonlyMap<string, TargetDirectory | Fault>> {
  const { session, real_path: root, signal } = place;
  const directories = new Map<string, TargetDirectory | Fault>();
  const namesIn = await plannedNames(plan);
  const look = { root, place, names: namesIn('') };
  const found = await session.statOf(root);
  if (found && found.kind !== 'directory') throw new Fault('not_a_directory');
  directories.set('', found ? await readDirectory(look, root) : absent(root));
  for (const relative of plan.directories) {
    signal.throwIfAborted();
    const [parent, name] = splitAtName(relative);
    const wanted = { ...look, names: namesIn(relative) };
    try {
      directories.set(relative, await lookAtDirectory(wanted, existing(directories.get(parent)), name));
    } catch (error) {
      if (!(error instanceof Fault && UNUSABLE_CODES.has(error.code))) throw error;
      directories.set(relative, error);
    }
  }
  return directories;
}

async function plannedNames(plan: Plan): Promise<(relative: string) => PlannedNames> {
  const by_directory = new Map<string, PlannedNames>();
  const giveWay = createGiveWay();
  function namesIn(relative: string): PlannedNames {
    const found = by_directory.get(relative);
    if (found) return found;
    const names: PlannedNames = { files: new Set(), directories: new Set() };
    by_directory.set(relative, names);
    return names;
  }
  for (const { directory, name } of plan.files) {
    namesIn(directory).files.add(name);
    await giveWay();
  }
  for (const relative of plan.directories) {
    const [parent, name] = splitAtName(relative);
    namesIn(parent).directories.add(name);
    await giveWay();
  }
  return namesIn;
}

/** The parent of a path below the target is empty for the target itself. */
function splitAtName(relative: string): readonly [parent: string, name: string] {
  const cut = relative.lastIndexOf('/');
  return [relative.slice(0, Math.max(0, cut)), relative.slice(cut + 1)];
}

interface Look {
  readonly root: string;
  readonly place: Place;
  readonly names: PlannedNames;
}

/** A link may stand for a directory, as long as it stays below the target. */
async function lookAtDirectory(
  look: Look,
  { real_path, entries }: TargetDirectory,
  name: string,
): Promise<TargetDirectory> {
  const { session } = look.place;
  const path = joinPath(real_path, name);
  const entry = entries?.get(name);
  if (!entry) return absent(path);
  if (!entry.is_symlink) {
    if (!entry.is_dir) throw new Fault('not_a_directory');
    return readDirectory(look, path);
  }
  const real = await session.realpath(path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined; // a dangling link
    throw error;
  });
  if (real === undefined || !isInside(real, look.root)) throw new Fault('member_outside');
  if (!entry.is_dir) throw new Fault('not_a_directory');
  return readDirectory(look, real);
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

function absent(real_path: string): TargetDirectory {
  return { real_path, entries: undefined, free_names: NO_NAMES };
}

/** Keeps only what the plan needs: a hundred directories may have a million entries each. */
async function readDirectory({ place, names }: Look, real_path: string): Promise<TargetDirectory> {
  const entries = new Map<string, DirectoryEntry>();
  const taken = new Set([...names.files, ...names.directories]);
  const planned = new Set(taken);
  const giveWay = createGiveWay();
  for (const entry of await place.session.list(real_path)) {
    if (planned.has(entry.name)) entries.set(entry.name, entry);
    if (place.on_conflict === 'rename') taken.add(entry.name);
    await giveWay();
  }
  if (place.on_conflict !== 'rename') return { real_path, entries, free_names: NO_NAMES };
  const free_names = new Map<string, string>();
  for (const name of names.files) {
    if (!entries.has(name)) continue;
    const free = unusedName(name, (one) => taken.has(one));
    taken.add(free);
    free_names.set(name, free);
    await giveWay();
  }
  return { real_path, entries, free_names };
}

function existing(directory: TargetDirectory | Fault | undefined): TargetDirectory {
  if (directory instanceof Fault) throw directory;
  if (!directory) throw new Error('A directory of the plan was not looked at');
  return directory;
}

function targetFile(
  planned: PlannedFile,
  { real_path, entries, free_names }: TargetDirectory,
  { on_conflict, archive_path }: Place,
): TargetFile {
  const { name } = planned;
  const path = joinPath(real_path, name);
  const entry = entries?.get(name);
  if (!entry) return { planned, path, replaces: false };
  switch (on_conflict) {
    case 'refuse': {
      const errors = [{ path: 'target_path', message: entry.path }];
      throw new Fault('already_exists', `There is already an item ${entry.path}`, { errors });
    }
    case 'skip':
      throw new Fault('already_exists');
    case 'rename':
      return { planned, path: joinPath(real_path, free_names.get(name) ?? name), replaces: false };
    case 'overwrite':
      assertMayOverwrite(entry, archive_path);
      return { planned, path, replaces: true };
  }
}

/** A link is never written through. */
function assertMayOverwrite({ path, is_dir, is_symlink }: DirectoryEntry, archive_path: string): void {
  if (is_dir || is_symlink) throw new Fault('not_a_file');
  if (path === archive_path) throw new Fault('already_exists');
}
