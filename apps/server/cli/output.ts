import { lstat, open, rename, rm } from 'node:fs/promises';
import { codeOf } from '#core/lib/errors/error-code.ts';

/** Ends the command with one line on standard error. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
}

/** Resolves once everything is written, also into a pipe. */
export async function print(text: string): Promise<void> {
  const { stdout } = process;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(new CommandRefused(`Standard output: ${reasonOf(error)}`));
    stdout.once('error', fail);
    stdout.write(`${text}\n`, (error) => {
      if (error) return; // also emitted as an event
      stdout.off('error', fail);
      resolve();
    });
  });
}

export function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Checks early whether `writePrivately` could write there. */
export async function assertWritable(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw refused(path, error);
  });
  if (!found) return;
  if (!found.isFile()) throw new CommandRefused(`${path}: already exists and is not a file`);
  if (!force) throw new CommandRefused(`${path}: ${REASONS['EEXIST']}`);
}

/** Readable only by its owner, and never half-written. */
export async function writePrivately(path: string, text: string, force: boolean): Promise<void> {
  await assertWritable(path, force);
  const draft = `${path}.part-${process.pid}`;
  try {
    await writeThrough(draft, text);
    if (!force) await claim(path);
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

/** Lets only one of two commands write the same file. A hard link would do, but not on every file system. */
async function claim(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  await file.close();
}

function refused(path: string, error: unknown): CommandRefused {
  return new CommandRefused(`${path}: ${reasonOf(error)}`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'already exists; use --force to replace it',
  EISDIR: 'is a directory',
  ENOENT: 'does not exist',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'its parent is not a directory',
  EPIPE: 'the reader has closed the pipe',
  EROFS: 'the file system is read-only',
};

export function reasonOf(error: unknown): string {
  const code = String(codeOf(error) ?? '');
  return REASONS[code] ?? (code || String(error));
}
