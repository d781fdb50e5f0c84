import { z } from 'zod';
import { ENDS, Id } from '../fields.ts';
import { DirectoryEntry } from './directory-entry.ts';

const PATH_LENGTH = 4096;
const ESCAPED_LENGTH = 'bytes:'.length + 3 * PATH_LENGTH;

/** Absolute; the verbs normalize and check it. */
export const RemotePath = z
  .string()
  .min(1)
  .max(ESCAPED_LENGTH, ENDS)
  .refine(
    (path) => path.startsWith('bytes:') || path.length <= PATH_LENGTH,
    `Longer than ${PATH_LENGTH} characters`,
  )
  .describe(
    'Absolute remote path; `.` and `..` are resolved. For names that are not UTF-8, `bytes:` and the path with its bytes percent-encoded, such as `bytes:/srv/caf%E9`',
  );

const TEXT_LENGTH = 8 * 1024 * 1024; // characters; the editor opens no longer text

const isText = (content: string) => content.isWellFormed(); // otherwise different bytes would be written

export const WriteInput = z
  .strictObject({
    path: RemotePath,
    content: z.string().max(TEXT_LENGTH, ENDS).refine(isText, 'Holds half of a surrogate pair'),
  })
  .meta({ id: 'WriteInput' });
export type WriteInput = z.infer<typeof WriteInput>;

export const Saved = z
  .object({
    path: z.string(),
    status: z.literal('saved'),
    etag: z.string().describe('Quoted content hash'),
    in_place: z
      .boolean()
      .describe(
        'Written to the file itself: a new file would have another owner or group, might lose an access list, or would lose hard links',
      ),
    is_mode_kept: z
      .boolean()
      .describe(
        'False when the host has removed the set-user-ID or set-group-ID bit, which only the owner may set, or when the group had to lose permissions',
      ),
  })
  .meta({ id: 'Saved' });
export type Saved = z.infer<typeof Saved>;

export const MkdirInput = z
  .strictObject({
    path: RemotePath,
    parents: z.boolean().optional().describe('Create missing parents; no error when the directory exists'),
  })
  .meta({ id: 'MkdirInput' });
export type MkdirInput = z.infer<typeof MkdirInput>;

export const DirectoryMade = z
  .object({ path: z.string(), status: z.literal('created') })
  .meta({ id: 'DirectoryMade' });
export type DirectoryMade = z.infer<typeof DirectoryMade>;

export const RenameInput = z
  .strictObject({
    old_path: RemotePath,
    new_path: RemotePath,
    overwrite: z
      .boolean()
      .optional()
      .describe('Replace an existing target, but never a directory that is not empty'),
  })
  .meta({ id: 'RenameInput' });
export type RenameInput = z.infer<typeof RenameInput>;

export const Renamed = z
  .object({ old_path: z.string(), new_path: z.string(), status: z.literal('renamed') })
  .meta({ id: 'Renamed' });
export type Renamed = z.infer<typeof Renamed>;

export const Deleted = z.object({ path: z.string(), status: z.literal('deleted') }).meta({ id: 'Deleted' });
export type Deleted = z.infer<typeof Deleted>;

export const ChmodInput = z
  .strictObject({
    path: RemotePath,
    mode: z.string().max(20).describe('Three or four octal digits, such as `644` or `0755`'),
    recursive: z.boolean().optional().describe('Also change the contents of a directory; links are skipped'),
  })
  .meta({ id: 'ChmodInput' });
export type ChmodInput = z.infer<typeof ChmodInput>;

export const ModeChanged = z
  .object({ path: z.string(), mode: z.string(), status: z.literal('changed') })
  .meta({ id: 'ModeChanged' });
export type ModeChanged = z.infer<typeof ModeChanged>;

export const Uploaded = z
  .object({ uploaded: z.array(z.string()).describe('Paths, in the order of the parts'), count: z.int() })
  .meta({ id: 'Uploaded' });
export type Uploaded = z.infer<typeof Uploaded>;

export const ZipInput = z
  .strictObject({
    paths: z.array(RemotePath).min(1).max(1000),
    base_path: RemotePath.optional().describe(
      'Names in the archive begin below it; by default the parent of each path',
    ),
  })
  .meta({ id: 'ZipInput' });
export type ZipInput = z.infer<typeof ZipInput>;

export const CopyInput = z
  .strictObject({
    source_path: RemotePath,
    target_server_id: Id.describe('May be the same server'),
    target_path: RemotePath.describe(
      'The new path; in an existing directory the name of the source is kept, as `cp` does',
    ),
    overwrite: z.boolean().optional().describe('Replace existing files; directories are merged'),
  })
  .meta({ id: 'CopyInput' });
export type CopyInput = z.infer<typeof CopyInput>;

export const Copied = z
  .object({
    path: z.string().describe('On the target server'),
    bytes: z.int(),
    files: z.int(),
    skipped: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .describe('Skipped links, devices and unreadable files; the first 100'),
    skipped_count: z.int(),
  })
  .meta({ id: 'Copied' });
export type Copied = z.infer<typeof Copied>;

export const CopyEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('progress'),
      bytes: z.int(),
      files: z.int(),
      path: z.string().describe('The file being copied'),
      total_bytes: z
        .int()
        .optional()
        .describe('Size of all files to copy; absent until it is known, and for more than 1,000,000 entries'),
      total_files: z.int().optional().describe('Present with `total_bytes`'),
    }),
    z.object({ type: z.literal('result'), result: Copied }),
    z.object({ type: z.literal('failed'), detail: z.string(), code: z.string() }),
  ])
  .meta({ id: 'CopyEvent', 'x-extensible': true });
export type CopyEvent = z.infer<typeof CopyEvent>;

export const Found = z
  .object({
    path: z.string(),
    entries: z.array(DirectoryEntry).describe('With full paths'),
    truncated: z.boolean().describe('True when the limit or the time ran out before the search was complete'),
  })
  .meta({ id: 'Found' });
export type Found = z.infer<typeof Found>;
