import { Fault } from '#core/errors.ts';
import { portable } from '#core/lib/paths/path-bytes.ts';
import { nameOf } from '#core/lib/paths/posix-path.ts';
import { isPartPath } from '#core/policy/part-path.ts';
import type { ArchiveRoot } from '#core/ports/files.ts';
import { kindOf, type RemoteAttributes, toFileStat } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { walkSteps } from '../tree/walk.ts';
import { type Step, toWalked } from '../tree/walk-step.ts';
import type { ZipNames } from './names.ts';
import type { ZipEntry } from './stream.ts';

// Each member costs memory until the end of the archive, which lists them all; a hostile tree may be endless.
const MAX_MEMBERS = 1_000_000;
const MAX_NAMES_LENGTH = 64 * 1024 * 1024; // characters of all names together
const LONGEST_NAME = 16_000; // a Set compares all strings from 16,384 characters on with each other

/** A file or directory to archive, in archive order. */
export type Planned =
  | (ZipEntry & { readonly kind: 'directory' })
  | (ZipEntry & { readonly kind: 'file'; readonly path: string; readonly listed: RemoteAttributes });

interface PlanOptions {
  readonly signal: AbortSignal;
  readonly names: ZipNames;
  readonly skipped: Skipped;
}

/** Yields batches; what cannot be archived is added to `skipped`. */
export async function* planArchive(
  channel: SftpChannel,
  roots: readonly ArchiveRoot[],
  { signal, names, skipped }: PlanOptions,
): AsyncGenerator<Planned[]> {
  let [members, length] = [0, 0];
  for (const root of roots) {
    if ('problem' in root) {
      skipped.add(root.name, root.problem);
      continue;
    }
    for await (const steps of walkSteps(channel, root.path, { signal, order: 'depth' })) {
      members += steps.length;
      const planned = steps.flatMap((step) => plan(step, archivePathOf(root, step), { names, skipped }));
      for (const { name } of planned) length += name.length;
      if (members > MAX_MEMBERS || length > MAX_NAMES_LENGTH)
        throw new Fault('sftp_failed', 'Too many files for one archive');
      yield planned;
    }
  }
}

/** The path inside the archive; empty for a directory whose contents go to the top level. */
function archivePathOf(
  { name, path }: { name: string; path: string },
  { relative, entry: member }: Step,
): string {
  if (relative !== '') return name === '' ? relative : `${name}/${relative}`;
  return name === '' && !member.is_directory ? nameOf(path) || 'root' : name;
}

function plan(step: Step, place: string, { names, skipped }: Omit<PlanOptions, 'signal'>): Planned[] {
  const problem = toWalked(step).problem ?? (isTooLong(place) ? TOO_LONG : undefined);
  if (problem !== undefined) {
    skipped.add(place, problem);
    return [];
  }
  const { path, attributes } = step.entry;
  const { mode, modified } = toFileStat(attributes);
  const entry = { mode, modified: new Date(modified) };
  switch (kindOf(attributes)) {
    case 'directory':
      return place === '' ? [] : [{ ...entry, kind: 'directory', name: names.directory(place) }];
    case 'file':
      if (step.relative !== '' && isPartPath(path)) {
        skipped.add(place, 'an upload in progress');
        return [];
      }
      return [{ ...entry, kind: 'file', name: names.file(place), path, listed: attributes }];
    case 'symlink':
      skipped.add(place, 'a symbolic link, which is not followed');
      return [];
    case 'other':
      skipped.add(place, 'neither a file nor a directory');
      return [];
  }
}

const TOO_LONG = new Fault('name_too_long').detail;

/** Whether the name is too long as it is written into the archive. */
function isTooLong(place: string): boolean {
  return place.length * LONGEST_ESCAPE > LONGEST_NAME && portable(place).length > LONGEST_NAME;
}

const LONGEST_ESCAPE = 3; // `%E9`
const MAX_LINES = 10_000;
const MAX_TEXT_LENGTH = 1024 * 1024; // characters

/** What the archive lacks and why; written to a file at its end. */
export interface Skipped {
  add(name: string, reason: string): void;
  /** Undefined when nothing was skipped. */
  text(): string | undefined;
}

export function createSkipped(): Skipped {
  const lines: string[] = [];
  let [length, beyond] = [0, 0];
  return {
    add(name, reason) {
      if (lines.length >= MAX_LINES || length >= MAX_TEXT_LENGTH) {
        beyond += 1;
        return;
      }
      const line = `${oneLine(portable(name)) || '/'} — ${oneLine(reason)}`;
      length += line.length;
      lines.push(line);
    },
    text() {
      if (lines.length === 0) return undefined;
      const more = beyond > 0 ? [`… and ${beyond} more`] : [];
      return `${[...lines, ...more].join('\n')}\n`;
    },
  };
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, '_');
}
