import { nameOf, parentOf } from '#core/lib/posix-path.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { readDirectory } from '../protocol/read-directory.ts';

const MOST_ENTRIES = 2000; // a save should not read a huge directory
const LINKS = /^-\S{9,10}\s+(\d+)\s/; // SFTP has no field for it, only the line of `ls -l` in a listing

/** The number of hard links to the file; undefined when the host does not report it, or only in a huge directory. */
export async function linkCount(channel: SftpChannel, path: string): Promise<number | undefined> {
  const name = nameOf(path);
  let seen = 0;
  try {
    for await (const batch of readDirectory(channel, parentOf(path))) {
      const found = batch.find(({ filename }) => filename === name);
      if (found) return countIn(found.line);
      seen += batch.length;
      if (seen > MOST_ENTRIES) return undefined;
    }
  } catch {
    return undefined; // a directory may let files be opened, but not be listed
  }
  return undefined;
}

function countIn(line: string): number | undefined {
  const [, digits] = LINKS.exec(line) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
