import { TEXT_LIMIT_BYTES } from '../model/limits.ts';
import type { RemoteFile } from '../ports/files.ts';

/** Reads a file of size 0 to find its real size: files in `/proc` report 0. */
export async function sized(file: RemoteFile): Promise<RemoteFile> {
  if (file.stat.size > 0) return file;
  const bytes = await file.readAll(TEXT_LIMIT_BYTES);
  return {
    ...file,
    stat: { ...file.stat, size: bytes.length },
    stream: ({ start, end }) => new Blob([bytes.slice(start, end + 1)]).stream(),
    close: () => Promise.resolve(),
  };
}
