import { digest, randomToken } from '../lib/bytes/bytes.ts';

const TARGET_LENGTH = 10; // 60 bits of the digest: enough to tell the files of one directory apart
const TOKEN_BYTES = 9;

/**
 * Names the copy of a file's old content, which is kept while the file is written in place. The name tells whose content
 * it is, so that a copy that an interrupted save has left can be found again.
 */
export async function oldCopyName(real_path: string): Promise<string> {
  return `${await prefixOf(real_path)}${randomToken(TOKEN_BYTES)}.old`;
}

/** Tells whether a name in a directory is that of an old copy of this file. */
export async function createOldCopyTest(real_path: string): Promise<(name: string) => boolean> {
  const prefix = await prefixOf(real_path);
  return (name) => name.startsWith(prefix) && /^[\w-]{12}\.old$/.test(name.slice(prefix.length));
}

async function prefixOf(real_path: string): Promise<string> {
  return `.sallyport-${(await digest(real_path)).slice(0, TARGET_LENGTH)}-`;
}
