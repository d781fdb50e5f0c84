import { Fault } from '#core/errors.ts';
import { nameOf } from '#core/lib/paths/posix-path.ts';
import type { Walked } from '#core/ports/files.ts';
import { toFileStat } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { TreeEntry } from './read-entries.ts';

/** One entry of a walk, or a directory that could not be read. */
export interface Step {
  readonly relative: string;
  readonly entry: TreeEntry;
  readonly problem?: string | undefined;
}

/** The step for a directory that could not be read; throws if the host is lost. */
export function toProblemStep(
  channel: SftpChannel,
  { path, relative }: { path: string; relative: string },
  error: unknown,
): Step {
  if (!(error instanceof Fault) || channel.ended()) throw error;
  const member = { name: nameOf(path), path, attributes: {}, is_directory: false, addressable: true };
  return { relative, entry: member, problem: error.detail };
}

const UNADDRESSABLE = new Fault('unaddressable_name').detail;

export function toWalked({ relative, entry: member, problem }: Step): Walked {
  const { path, addressable, attributes } = member;
  const why = problem ?? (addressable ? undefined : UNADDRESSABLE);
  return why === undefined
    ? { path, relative, stat: toFileStat(attributes) }
    : { path, relative, problem: why };
}
