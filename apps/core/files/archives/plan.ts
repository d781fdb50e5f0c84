import { Fault, toFault } from '../../errors.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import { MAX_ARCHIVE_MEMBERS, MAX_EXTRACT_PATHS_MIB } from '../../limits.ts';
import type { ZipMember } from '../../ports/zip.ts';
import { isSupported } from './entries.ts';
import { safeNames } from './names.ts';

export interface PlannedFile {
  readonly member: ZipMember;
  /** Its directory below the target; empty for the target itself. */
  readonly directory: string;
  readonly name: string;
}

export interface SkippedMember {
  readonly member: ZipMember;
  readonly fault: Fault;
}

/** What to create, judged by the archive alone. */
export interface Plan {
  readonly files: readonly PlannedFile[];
  /** Below the target, parents first. */
  readonly directories: readonly string[];
  readonly skipped: readonly SkippedMember[];
}

/** Throws `archive_too_large` for more paths below `root` than can be kept: names of a few MiB may imply gigabytes. */
export async function planExtraction(members: readonly ZipMember[], root: string): Promise<Plan> {
  const files: PlannedFile[] = [];
  const skipped: SkippedMember[] = [];
  const taken = createTaken(root.length);
  const giveWay = createGiveWay();
  for (const member of members) {
    await giveWay();
    try {
      const file = place(member, taken);
      if (file) files.push(file);
    } catch (error) {
      skipped.push({ member, fault: toFault(error) });
    }
    if (taken.isTooMuch()) throw new Fault('archive_too_large');
  }
  return { files, directories: taken.directories(), skipped };
}

/** Undefined for a directory. */
function place(member: ZipMember, taken: Taken): PlannedFile | undefined {
  if (member.kind !== 'file' && member.kind !== 'directory') throw new Fault('member_link');
  if (member.is_encrypted) throw new Fault('member_encrypted');
  if (!isSupported(member)) throw new Fault('member_method');
  const names = safeNames(member.name);
  if (member.kind === 'directory') {
    taken.addDirectory(names);
    return undefined;
  }
  const name = names.pop();
  if (name === undefined) throw new Fault('member_name');
  const directory = taken.addDirectory(names);
  taken.addFile([...names, name].join('/'));
  return { member, directory, name };
}

type Taken = ReturnType<typeof createTaken>;

/** Names by what takes them first. */
function createTaken(root_length: number) {
  const kinds = new Map<string, 'file' | 'directory'>();
  let directories = 0;
  let paths_length = 0;
  function take(path: string, kind: 'file' | 'directory'): void {
    kinds.set(path, kind);
    paths_length += root_length + path.length;
  }
  return {
    addDirectory(names: readonly string[]): string {
      let path = '';
      for (const name of names) {
        path = path === '' ? name : `${path}/${name}`;
        if (kinds.get(path) === 'file') throw new Fault('member_twice');
        if (kinds.has(path)) continue;
        directories += 1;
        take(path, 'directory');
      }
      return path;
    },
    addFile(path: string): void {
      if (kinds.has(path)) throw new Fault('member_twice');
      take(path, 'file');
    },
    isTooMuch: () => directories > MAX_ARCHIVE_MEMBERS || paths_length > MAX_EXTRACT_PATHS_MIB * 1024 ** 2,
    directories: () => [...kinds].flatMap(([path, kind]) => (kind === 'directory' ? [path] : [])),
  };
}
