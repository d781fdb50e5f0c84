import { lstat, open, rename, rm } from 'node:fs/promises';

/** Stops the command with one line. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
}

/** Resolves when all of it has left, also into a pipe. */
export async function print(text: string): Promise<void> {
  const { stdout } = process;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(new CommandRefused(`Standard output: ${reasonOf(error)}`));
    stdout.once('error', fail);
    stdout.write(`${text}\n`, (error) => {
      if (error) return; // comes as an event too
      stdout.off('error', fail);
      resolve();
    });
  });
}

export function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Refuses a place where `writePrivately` could not put a file, before anything is made to be put there. */
export async function assertWritable(path: string, force: boolean): Promise<void> {
  const there = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw refused(path, error);
  });
  if (!there) return;
  if (!there.isFile()) throw new CommandRefused(`${path}: is there already, and is not a file`);
  if (!force) throw new CommandRefused(`${path}: is there already; --force replaces it`);
}

/** For its owner alone; whole or not at all. */
export async function writePrivately(path: string, text: string, force: boolean): Promise<void> {
  await assertWritable(path, force);
  const draft = `${path}.part-${process.pid}`;
  try {
    await writeThrough(draft, text);
    if (!force) await take(path);
    await rename(draft, path);
  } catch (error) {
    throw refused(path, error);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeThrough(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Of two that write the same file at once, one is refused; a link would do too, but not on every file system. */
async function take(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  await file.close();
}

function refused(path: string, error: unknown): CommandRefused {
  return new CommandRefused(`${path}: ${reasonOf(error)}`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EEXIST: 'is there already; --force replaces it',
  EISDIR: 'is a directory',
  ENOENT: 'is not there',
  ENOSPC: 'no space is left',
  ENOTDIR: 'lies below a file',
  EPIPE: 'nobody reads it any more',
  EROFS: 'cannot be written: the file system is read-only',
};

export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? (code || String(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
