import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = 'directory-id'; // not hidden: `cp recordings/*` copies it
const ID = /^[\w-]{22}$/;

/** Instances may share the directory and start at the same time: the first one names it. */
export async function directoryId(dir: string, { create }: { create: boolean }): Promise<string | null> {
  const file = join(dir, NAME);
  try {
    if (create) await mkdir(dir, { recursive: true, mode: 0o700 });
    return (await readId(file)) ?? (await writeId(file));
  } catch {
    return null; // no directory, or one that cannot be written
  }
}

async function readId(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return ID.test(text.trim()) ? text.trim() : undefined;
}

/** A link appears with its whole content, and never replaces another one. */
async function writeId(file: string): Promise<string | null> {
  const id = randomBytes(16).toString('base64url');
  const draft = `${file}-${id}`;
  await writeFile(draft, `${id}\n`, { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    const is_named = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!is_named) await rename(draft, file); // a file system without links
  } finally {
    await rm(draft, { force: true });
  }
  return (await readId(file)) ?? null;
}
