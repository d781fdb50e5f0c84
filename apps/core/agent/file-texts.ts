import type { Excerpt, Recent, Sizes } from '../files/looks/looks.ts';
import type { Seen } from '../files/looks/trees.ts';
import { escaped, isInBytes, namesOf } from '../lib/paths/path-bytes.ts';
import type { DirectoryEntry } from '../model/files/directory-entry.ts';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${bytes} B` : `${size.toFixed(1)} ${UNITS[unit]}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

// A hostile file name may try to add lines, or to hide some.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** On one line, and as a tool takes it: with `bytes:` where the name holds characters that cannot be seen. */
export function pathText(path: string): string {
  if (isInBytes(path) || !UNPRINTABLE.test(path)) return path;
  return `bytes:${namesOf(path).split('/').map(escaped).join('/')}`;
}

export function entryLine(entry: DirectoryEntry): string {
  const { name, path, permissions, owner, group, size, modified, is_symlink, link_target } = entry;
  const shown = isInBytes(path) || UNPRINTABLE.test(name) ? pathText(path) : name;
  const target = is_symlink ? ` -> ${pathText(link_target ?? '?')}` : '';
  return `${permissions} ${owner}:${group} ${size} ${modified} ${shown}${target}`;
}

const CUTS: Readonly<Record<NonNullable<Seen['cut']>, string>> = {
  time: 'The time was up before everything was looked at: the sizes are a lower bound. Look at a subdirectory.',
  entries: 'There are too many files to look at all: the sizes are a lower bound. Look at a subdirectory.',
  depth: 'The deepest directories were not looked at.',
};

export function seenLines({ entries, unreadable, cut }: Seen): string[] {
  return [
    `Looked at ${counted(entries, 'entry', 'entries')}.`,
    ...(unreadable > 0 ? [`${counted(unreadable, 'directory', 'directories')} could not be read.`] : []),
    ...(cut ? [CUTS[cut]] : []),
  ];
}

export function sizesText(found: Sizes): string {
  const { path, size, files, directories, largest } = found;
  return [
    `Files in ${pathText(path)} and below: ${files}, together ${sizeText(size)} (apparent sizes: sparse files count in full).`,
    ...seenLines(found),
    '',
    'Direct subdirectories, the largest first (size, files, path):',
    ...directories.map((one) => `${sizeText(one.size)}\t${one.files}\t${pathText(one.path)}`),
    '',
    'Largest files at any depth (size, modified, path):',
    ...largest.map((one) => `${sizeText(one.size)}\t${one.modified}\t${pathText(one.path)}`),
  ].join('\n');
}

export function recentText(found: Recent): string {
  return [
    `Files in ${pathText(found.path)} and below, the latest change first (modified, size, path):`,
    ...found.files.map((one) => `${one.modified}\t${sizeText(one.size)}\t${pathText(one.path)}`),
    '',
    ...seenLines(found),
  ].join('\n');
}

export function excerptText(found: Excerpt): string {
  const { path, size, text, from_byte, from_line, is_end, gave_up } = found;
  const at = from_line === undefined ? `from byte ${from_byte}` : `from line ${from_line}`;
  const end = is_end ? 'to the end of the file' : 'not to the end of the file';
  if (gave_up)
    return `Line ${from_line} of ${pathText(path)} is too far into the file; use from_byte or tail_file.`;
  return `${pathText(path)} (${sizeText(size)}), ${at}, ${end}:\n${text}`;
}
