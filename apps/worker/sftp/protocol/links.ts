import { nameOf, parentOf } from '#core/lib/paths/posix-path.ts';
import type { SftpChannel } from './channel.ts';
import type { LinkCount } from './host-memory.ts';
import { readDirectory } from './read-directory.ts';

const MOST_ENTRIES = 2000; // a save should not read a huge directory
const MOST_IF_NEEDED = 100_000; // where the file could not be written without the answer
const KEPT_MS = 2000; // one listing serves the files that an upload replaces together
const LINKS = /^-\S{9,10}\s+(\d+)\s/; // SFTP has no field for it, only the line of `ls -l` in a listing

/** The number of hard links to a file. `is_needed` reads a larger directory. */
export async function linkCount(
  channel: SftpChannel,
  path: string,
  { is_needed }: { is_needed: boolean },
): Promise<LinkCount> {
  const directory = parentOf(path);
  const kept = channel.memory.links;
  const is_fresh = kept?.directory === directory && performance.now() - kept.read_ms < KEPT_MS;
  const found = is_fresh ? kept.counts.get(nameOf(path)) : undefined;
  if (found !== undefined && !is_needed) return found;
  if (is_fresh && !kept.is_whole && !is_needed) return 'not_listed';
  return readCount(channel, path, is_needed ? MOST_IF_NEEDED : MOST_ENTRIES);
}

async function readCount(channel: SftpChannel, path: string, most: number): Promise<LinkCount> {
  const [directory, name] = [parentOf(path), nameOf(path)];
  const counts = new Map<string, LinkCount>();
  let seen = 0;
  let found: LinkCount = 'not_listed';
  let is_whole = false;
  const read_ms = performance.now();
  try {
    for await (const batch of readDirectory(channel, directory)) {
      for (const { filename, line } of batch) {
        if (counts.size < MOST_ENTRIES) counts.set(filename, countIn(line));
        if (filename === name) found = countIn(line);
      }
      seen += batch.length;
      if (seen > most || (found !== 'not_listed' && seen > MOST_ENTRIES)) break;
    }
    is_whole = seen <= MOST_ENTRIES;
  } catch {
    return 'not_listed'; // a directory may let files be opened, but not be listed
  }
  channel.memory.links = { directory, counts, read_ms, is_whole };
  return found;
}

function countIn(line: string): LinkCount {
  const [, digits] = LINKS.exec(line) ?? [];
  return digits === undefined ? 'not_reported' : Number(digits);
}
