import { TEXT_LIMIT_BYTES } from '../limits.ts';
import type { RemoteFile } from '../ports/files.ts';

const FIRST_BYTES = 64 * 1024;

/**
 * Reads the start of a file before anything is promised about it: files in `/proc` report 0 bytes, those in `/sys` more
 * than they have, and a host may let a file be opened, but not read.
 */
export async function sized(file: RemoteFile): Promise<RemoteFile> {
  const { size } = file.stat;
  if (size === 0) return inMemory(file, await file.readAll(TEXT_LIMIT_BYTES));
  const first = await readFirst(file, Math.min(size, FIRST_BYTES));
  if (first.length === FIRST_BYTES && size > FIRST_BYTES) return file;
  await file.close();
  return inMemory(file, first); // all of it, whatever the size says
}

async function readFirst(file: RemoteFile, bytes: number): Promise<Uint8Array> {
  try {
    return await file.readPart(0, bytes);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function inMemory(file: RemoteFile, bytes: Uint8Array): RemoteFile {
  return {
    ...file,
    stat: { ...file.stat, size: bytes.length },
    stream: ({ start, end }) => new Blob([bytes.slice(start, end + 1)]).stream(),
    close: () => Promise.resolve(),
  };
}
