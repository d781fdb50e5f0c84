import { nameOf, parentOf } from '#core/lib/posix-path.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { readDirectory } from '../protocol/read-directory.ts';

const MOST_ENTRIES = 2000; // a save should not read a huge directory
const LINKS = /^-\S{9,10}\s+(\d+)\s/; // SFTP has no field for it, only the line of `ls -l` in a listing

/** Whether the file has several hard links; false when the host does not report it. */
export async function hasMoreLinks(channel: SftpChannel, path: string): Promise<boolean> {
  const name = nameOf(path);
  let seen = 0;
  try {
    for await (const batch of readDirectory(channel, parentOf(path))) {
      const found = batch.find(({ filename }) => filename === name);
      if (found) return Number(LINKS.exec(found.line)?.[1] ?? 1) > 1;
      seen += batch.length;
      if (seen > MOST_ENTRIES) return false;
    }
  } catch {
    return false; // a directory may let files be opened, but not be listed
  }
  return false;
}
