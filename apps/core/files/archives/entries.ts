import { Fault } from '../../errors.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import { pathOf } from '../../lib/paths/path-bytes.ts';
import { MAX_ARCHIVE_DIRECTORY_MIB, MAX_ARCHIVE_MEMBERS } from '../../limits.ts';
import type { ArchiveEntry } from '../../model/files/archive.ts';
import type { Abortable } from '../../ports/files.ts';
import type { RemoteZip, ZipDirectory, ZipMember } from '../../ports/zip.ts';

const STORED = 0;
const DEFLATED = 8;

export function isSupported({ method }: ZipMember): boolean {
  return method === STORED || method === DEFLATED;
}

/** A name as callers spell it. */
export function spelled({ name }: ZipMember): string {
  return pathOf(name);
}

export async function toEntries(members: readonly ZipMember[]): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const giveWay = createGiveWay();
  for (const member of members) {
    entries.push(toEntry(member));
    await giveWay();
  }
  return entries;
}

function toEntry(member: ZipMember): ArchiveEntry {
  const { size, compressed_size, modified, kind, is_encrypted } = member;
  return {
    name: spelled(member),
    size,
    compressed_size,
    modified,
    is_dir: kind === 'directory',
    is_link: kind !== 'directory' && kind !== 'file',
    is_encrypted,
    is_supported: isSupported(member),
  };
}

interface Reading extends Abortable {
  /** Encoding of the names; undefined: guessed. */
  readonly encoding?: string | undefined;
}

export function readMembers(zip: RemoteZip, { signal, encoding }: Reading): Promise<ZipDirectory> {
  const directory_bytes = MAX_ARCHIVE_DIRECTORY_MIB * 1024 ** 2;
  return zip.readDirectory({ members: MAX_ARCHIVE_MEMBERS, directory_bytes, encoding, signal });
}

/** Throws `archive_too_large` where only a part could be read. */
export async function readAllMembers(zip: RemoteZip, reading: Reading): Promise<ZipDirectory> {
  const directory = await readMembers(zip, reading);
  if (directory.truncated) throw new Fault('archive_too_large');
  return directory;
}
