import { Fault } from '#core/errors.ts';
import type { Stats } from './attributes.ts';
import type { SftpChannel } from './channel.ts';
import type { Handle } from './requests.ts';

// An attacker who swaps the path as fast as the server answers passes one check in two, but all two dozen once in millions.
const CHECKS = 12;
const LOOKS = 1; // where no rule confines paths: a swapped path leads nowhere that the caller may not go

export interface PathCheck {
  /** Attributes of the open file. */
  readonly stats: Stats;
  /** Whether the path still leads to the open file, to another file at the same path, or elsewhere. */
  readonly path: 'same' | 'replaced' | 'elsewhere';
}

/**
 * Checks that an open file is the one at its real path: a directory may have been swapped for a link between the access
 * check and the open. SFTP version 3 has no inodes and cannot open relative to a handle, so this is not airtight: an
 * attacker would have to swap many times in step with our requests, which are sent together in one round trip.
 */
export async function checkOpenFile(channel: SftpChannel, handle: Handle, path: string): Promise<PathCheck> {
  const check = () => Promise.all([channel.realpath(path), channel.stat(path)]);
  const [stats, checks, after] = await Promise.all([
    channel.fstat(handle),
    Promise.all(Array.from({ length: channel.is_confined ? CHECKS : LOOKS }, check)),
    channel.fstat(handle),
  ]);
  if (checks.some(([real]) => real !== path)) return { stats, path: 'elsewhere' };
  return { stats, path: checks.every(([, found]) => isSameFile(found, stats, after)) ? 'same' : 'replaced' };
}

/** For files that no other program should replace. */
export async function assertSameFile(channel: SftpChannel, handle: Handle, path: string): Promise<Stats> {
  const { stats, path: place } = await checkOpenFile(channel, handle, path);
  if (place !== 'same') throw pathSwapped();
  return stats;
}

/**
 * Performs `act` inside these real directories. A dozen checks come first; `act` follows at once, with more checks behind
 * it. If those fail, the action is undone where possible and refused.
 */
export async function actInVerified<T>(
  channel: SftpChannel,
  directories: readonly string[],
  { act, undo = nothing }: { act: () => Promise<T>; undo?: () => Promise<void> },
): Promise<T> {
  if (!channel.is_confined) return act();
  const check = async () => {
    const reals = directories.flatMap((path) => Array.from({ length: CHECKS }, () => path));
    await Promise.all(reals.map((path) => assertStillReal(channel, path)));
  };
  await check();
  const [done, seen] = await Promise.allSettled([act(), check()]);
  if (done.status === 'rejected') throw done.reason;
  if (seen.status === 'rejected') {
    await undo().catch(nothing); // best effort
    throw seen.reason;
  }
  return done.value;
}

const nothing = async () => {};

/** Refuses a path that no longer resolves to itself; for directories, whose handles reveal nothing. */
export async function assertStillReal(channel: SftpChannel, path: string): Promise<void> {
  if ((await channel.realpath(path)) !== path) throw pathSwapped();
}

/** Whether the attributes are still those of the listing. */
export function isUnchanged(a: Partial<Stats>, b: Stats): boolean {
  return (['mode', 'uid', 'gid', 'size', 'mtime'] as const).every((key) => a[key] === b[key]);
}

/** By attributes alone. The file may be growing, so size and time must lie between those of two `fstat`s around the check. */
export function isSameFile(found: Stats, opened: Stats, opened_after: Stats): boolean {
  const unchanged = (['mode', 'uid', 'gid'] as const).every((key) => found[key] === opened[key]);
  const between = (['size', 'mtime'] as const).every(
    (key) => found[key] === opened[key] || (opened[key] <= found[key] && found[key] <= opened_after[key]),
  );
  return unchanged && between;
}

export function pathSwapped(): Fault {
  return new Fault('path_outside_allowed', 'The path changed while it was being opened');
}
