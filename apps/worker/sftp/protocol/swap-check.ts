import { Fault } from '#core/errors.ts';
import type { Stats } from './attributes.ts';
import type { SftpChannel } from './channel.ts';
import type { Handle } from './requests.ts';

// Somebody who swaps as fast as the server answers passes each look every other time: these two dozen one time in millions.
const CHECKS = 12;

export interface PathCheck {
  /** Of the open file. */
  readonly stats: Stats;
  /** Whether its path still leads to it, to another file in the same place, or elsewhere. */
  readonly path: 'same' | 'replaced' | 'elsewhere';
}

/**
 * Looks whether an open file is the one at its real path: a directory may have been swapped for a link between the
 * check and the open. SFTP version 3 tells no inode and opens nothing relative to a handle, so this cannot be airtight:
 * it leaves the chance of many swaps in step with our requests, which go out together and cost one round trip.
 */
export async function checkOpenFile(channel: SftpChannel, handle: Handle, path: string): Promise<PathCheck> {
  const check = () => Promise.all([channel.realpath(path), channel.stat(path)]);
  const [stats, checks, after] = await Promise.all([
    channel.fstat(handle),
    Promise.all(Array.from({ length: CHECKS }, check)),
    channel.fstat(handle),
  ]);
  if (checks.some(([real]) => real !== path)) return { stats, path: 'elsewhere' };
  return { stats, path: checks.every(([, found]) => isSameFile(found, stats, after)) ? 'same' : 'replaced' };
}

/** For a file that nobody else has a reason to replace. */
export async function assertSameFile(channel: SftpChannel, handle: Handle, path: string): Promise<Stats> {
  const { stats, path: place } = await checkOpenFile(channel, handle, path);
  if (place !== 'same') throw pathSwapped();
  return stats;
}

/**
 * Acts on what is in these real directories. What an answered dozen of looks finds real is acted on in the very next
 * flight, with more looks behind it: when those disagree it is undone as far as that goes, and refused.
 */
export async function actInVerified<T>(
  channel: SftpChannel,
  directories: readonly string[],
  { act, undo = nothing }: { act: () => Promise<T>; undo?: () => Promise<void> },
): Promise<T> {
  const check = async () => {
    const reals = directories.flatMap((path) => Array.from({ length: CHECKS }, () => path));
    await Promise.all(reals.map((path) => assertStillReal(channel, path)));
  };
  await check();
  const [done, seen] = await Promise.allSettled([act(), check()]);
  if (done.status === 'rejected') throw done.reason;
  if (seen.status === 'rejected') {
    await undo().catch(nothing); // as far as that goes
    throw seen.reason;
  }
  return done.value;
}

const nothing = async () => {};

/** Refuses a path that has begun to lead elsewhere since it was resolved; for directories, whose handles tell nothing. */
export async function assertStillReal(channel: SftpChannel, path: string): Promise<void> {
  if ((await channel.realpath(path)) !== path) throw pathSwapped();
}

/** As it was listed. */
export function isUnchanged(a: Partial<Stats>, b: Stats): boolean {
  return (['mode', 'uid', 'gid', 'size', 'mtime'] as const).every((key) => a[key] === b[key]);
}

/** As far as attributes tell. A file may grow meanwhile: asked between two looks at the open file, its path must tell something in between. */
export function isSameFile(found: Stats, opened: Stats, opened_after: Stats): boolean {
  const unchanged = (['mode', 'uid', 'gid'] as const).every((key) => found[key] === opened[key]);
  const between = (['size', 'mtime'] as const).every(
    (key) => found[key] === opened[key] || (opened[key] <= found[key] && found[key] <= opened_after[key]),
  );
  return unchanged && between;
}

export function pathSwapped(): Fault {
  return new Fault('path_outside_allowed', 'The path led elsewhere while it was opened');
}
