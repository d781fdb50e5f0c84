import { z } from 'zod';
import type { Files } from '../files/listing.ts';
import type { ExcerptPart } from '../files/looks/excerpts.ts';
import type { Looks } from '../files/looks/looks.ts';
import { sortedInTurns } from '../lib/concurrency/sorted-in-turns.ts';
import type { DirectoryEntry } from '../model/files/directory-entry.ts';
import { RemotePath } from '../model/files/file-change.ts';
import { counted, entryLine, excerptText, pathText, recentText, sizesText, sizeText } from './file-texts.ts';
import { isPrivateKey } from './masking/keys.ts';
import { defineTool, type Found, notSupported, type Tool, type ToolContext } from './tool.ts';

const MOST_LINES = 1000;
const MOST_NAMED = 200;
const MOST_BYTES = 65_536;

const path = RemotePath.describe('Absolute path, such as /var/log. Links are followed.');
const limit = (usual: number) => z.int().min(1).max(MOST_NAMED).default(usual);

interface Deps {
  readonly files: Pick<Files, 'list' | 'stat' | 'search'>;
  readonly looks: Looks;
}

/** Tools over SFTP, through the same verbs as people's requests. */
export function createFileTools(deps: Deps): readonly Tool[] {
  return [
    ...createEntryTools(deps),
    ...createSearchTools(deps),
    ...createTextTools(deps),
    ...createTreeTools(deps),
  ];
}

const at = ({ server_id }: ToolContext, place: string) => ({ server_id, path: place });

const ORDERS = {
  name: (a: DirectoryEntry, b: DirectoryEntry) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  size: (a: DirectoryEntry, b: DirectoryEntry) => b.size - a.size,
  modified: (a: DirectoryEntry, b: DirectoryEntry) => Date.parse(b.modified) - Date.parse(a.modified),
};

function createEntryTools({ files }: Deps): readonly Tool[] {
  return [
    defineTool({
      name: 'list_directory',
      needs: 'sftp',
      description:
        'Lists a directory: mode, owner and group (numeric), size in bytes, time of the last change, name. A directory shows its own size, not that of its content: use directory_sizes for that.',
      arguments: {
        path,
        order: z.enum(['name', 'size', 'modified']).default('name').describe('Largest or latest first'),
        limit: limit(100),
      },
      async run(context, { path: place, order, limit: most }) {
        const { caller, signal } = context;
        const listing = await files.list(caller, at(context, place), { signal });
        const all = await sortedInTurns(listing.entries, ORDERS[order]);
        const left = all.length - most;
        const more = left > 0 ? [`… and ${counted(left, 'more entry', 'more entries')}`] : [];
        const count = counted(all.length, 'entry', 'entries');
        return {
          text: [`${pathText(listing.path)}: ${count}`, ...all.slice(0, most).map(entryLine), ...more].join(
            '\n',
          ),
          summary: `Listed ${pathText(listing.path)}: ${count}`,
        };
      },
    }),
    defineTool({
      name: 'file_info',
      needs: 'sftp',
      description:
        'Shows one file, directory or link (itself, not its target): mode, owner and group, size in bytes, time of the last change.',
      arguments: { path: RemotePath.describe('Absolute path. A link is not followed.') },
      async run(context, { path: place }) {
        const entry = await files.stat(context.caller, at(context, place));
        const shown = pathText(entry.path);
        return { text: `${entryLine(entry)}\nPath: ${shown}`, summary: `Looked at ${shown}` };
      },
    }),
  ];
}

function createSearchTools({ files, looks }: Deps): readonly Tool[] {
  return [
    defineTool({
      name: 'search_names',
      needs: 'sftp',
      description: 'Finds files and directories below a directory by a part of their name, ignoring case.',
      arguments: {
        path,
        text: z.string().min(1).max(200).describe('Part of the name; no wildcards'),
        limit: limit(50),
      },
      async run(context, { path: place, text, limit: most }) {
        const { caller, signal } = context;
        const found = await files.search(caller, { ...at(context, place), q: text, limit: most }, signal);
        const count = counted(found.entries.length, 'match', 'matches');
        const lines = found.entries.map(
          (entry) =>
            `${entry.is_dir ? 'directory' : sizeText(entry.size)}\t${entry.modified}\t${pathText(entry.path)}`,
        );
        const end = found.truncated ? ['The search was cut short: there may be more.'] : [];
        return {
          text: [`${count} (size, modified, path):`, ...lines, ...end].join('\n'),
          summary: `Searched ${pathText(found.path)} for “${text}”: ${count}`,
        };
      },
    }),
    defineTool({
      name: 'disk_space',
      needs: 'sftp',
      description: 'Shows total and free space and inodes of the file system that holds a path.',
      arguments: { path },
      async run(context, { path: place }) {
        const { caller, signal } = context;
        const space = await looks.space(caller, at(context, place), signal);
        const shown = pathText(place);
        if (!space) return notSupported('The SFTP server does not report disk space');
        const { total_bytes, free_bytes, total_files, free_files } = space;
        const inodes =
          total_files > 0
            ? `Inodes: ${total_files} in total, ${free_files} free`
            : 'The file system does not count inodes';
        return {
          text: `File system of ${shown}: ${sizeText(total_bytes)} in total, ${sizeText(free_bytes)} free (${percent(free_bytes, total_bytes)} free)\n${inodes}`,
          summary: `Disk space at ${shown}: ${sizeText(free_bytes)} of ${sizeText(total_bytes)} free`,
        };
      },
    }),
  ];
}

function createTextTools({ looks }: Deps): readonly Tool[] {
  async function excerpt(context: ToolContext, place: string, part: ExcerptPart): Promise<Found> {
    const { caller, signal } = context;
    const found = await looks.excerpt(caller, { ...at(context, place), part }, signal);
    const shown = pathText(found.path);
    if (isPrivateKey(found.head)) {
      return {
        text: `${shown} is a private key: [masked]`,
        summary: `Read ${shown}: a private key, not shown`,
      };
    }
    const lines = found.text === '' ? 0 : found.text.replace(/\n$/, '').split('\n').length;
    return { text: excerptText(found), summary: `Read ${counted(lines, 'line')} of ${shown}` };
  }
  const lines = z.int().min(1).max(MOST_LINES);
  return [
    defineTool({
      name: 'read_file',
      needs: 'sftp',
      description:
        'Reads a part of a text file: lines from a line, or bytes from a byte. Large files are read in parts. Secrets are masked.',
      arguments: {
        path,
        from_line: z.int().min(1).max(10_000_000).default(1),
        lines: lines.default(200),
        from_byte: z
          .int()
          .min(0)
          .max(Number.MAX_SAFE_INTEGER)
          .optional()
          .describe('Where to begin instead of a line, in a file with many lines'),
        bytes: z.int().min(1).max(MOST_BYTES).default(16_384).describe('Only with from_byte'),
      },
      run(context, { path: place, from_line, lines: count, from_byte, bytes }) {
        const part: ExcerptPart =
          from_byte === undefined
            ? { kind: 'lines', from_line, lines: count }
            : { kind: 'bytes', from_byte, bytes };
        return excerpt(context, place, part);
      },
    }),
    defineTool({
      name: 'tail_file',
      needs: 'sftp',
      description: 'Reads the last lines of a text file, such as a log. Secrets are masked.',
      arguments: { path, lines: lines.default(100) },
      run: (context, { path: place, lines: count }) =>
        excerpt(context, place, { kind: 'tail', lines: count }),
    }),
  ];
}

function createTreeTools({ looks }: Deps): readonly Tool[] {
  return [
    defineTool({
      name: 'directory_sizes',
      needs: 'sftp',
      description:
        'Finds what takes the space below a directory: the size of each direct subdirectory with all its content, and the largest files at any depth. Takes up to ten seconds; says when not everything was looked at.',
      arguments: { path, limit: limit(30) },
      async run(context, { path: place, limit: most }) {
        const { caller, signal } = context;
        const found = await looks.sizes(caller, { ...at(context, place), limit: most }, signal);
        const bound = found.cut ? 'at least ' : '';
        const summary = `Measured ${pathText(found.path)}: ${bound}${sizeText(found.size)} in ${counted(found.files, 'file')}`;
        return { text: sizesText(found), summary };
      },
    }),
    defineTool({
      name: 'recently_changed',
      needs: 'sftp',
      description: 'Finds the files below a directory that were changed last. Takes up to ten seconds.',
      arguments: { path, limit: limit(30) },
      async run(context, { path: place, limit: most }) {
        const { caller, signal } = context;
        const found = await looks.recent(caller, { ...at(context, place), limit: most }, signal);
        const shown = pathText(found.path);
        return { text: recentText(found), summary: `Looked for recent changes in ${shown}` };
      },
    }),
  ];
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : 'all';
}
