import { z } from 'zod';
import { nameEncoding } from '../../lib/text/name-encodings.ts';
import { MAX_MEMBER_NAME_BYTES } from '../../limits.ts';
import { Instant } from '../fields.ts';
import { RemotePath } from './file-change.ts';

const NAME_LENGTH = 3 * (MAX_MEMBER_NAME_BYTES + 2); // each byte escaped, and the prefix

/** The `name` of an ArchiveEntry. */
export const MemberName = z
  .string()
  .min(1)
  .max(NAME_LENGTH)
  .describe('The name of a member, as the list of members has it');

/** Kept under its one name. */
export const NameEncoding = z
  .string()
  .max(40)
  .refine((label) => nameEncoding(label) !== undefined, 'Must be an encoding such as shift_jis or cp437')
  .overwrite((label) => nameEncoding(label) ?? label)
  .describe(
    'Encoding of the names that the archive does not mark as UTF-8: `cp437`, `cp850`, or one of the WHATWG standard such as `shift_jis`, `gbk`, `big5`, `euc-kr`, `koi8-r`, `windows-1251`. By default it is guessed',
  );

export const ArchiveEntry = z
  .object({
    name: z
      .string()
      .describe(
        'Path in the archive, without a trailing slash; as `bytes:` and percent-encoded if it is not UTF-8. It may be unsafe, such as `../x`: then it is not extracted',
      ),
    size: z.number().describe('Bytes, as the archive says'),
    compressed_size: z.number().describe('Bytes in the archive'),
    modified: Instant.describe('Where the archive has no time zone, its time counts as UTC'),
    is_dir: z.boolean(),
    is_link: z.boolean().describe('A symbolic link or a special file'),
    is_encrypted: z.boolean(),
    is_supported: z.boolean().describe('Stored or deflated; other methods cannot be read'),
  })
  .meta({ id: 'ArchiveEntry' });
export type ArchiveEntry = z.infer<typeof ArchiveEntry>;

export const ArchiveListing = z
  .object({
    path: z.string(),
    entries: z.array(ArchiveEntry).describe('In the order of the archive'),
    truncated: z.boolean().describe('True when the archive has more members than are listed'),
    encoding: z
      .string()
      .optional()
      .describe('What decoded the names that the archive does not mark as UTF-8, stated or guessed'),
  })
  .meta({ id: 'ArchiveListing' });
export type ArchiveListing = z.infer<typeof ArchiveListing>;

const OnConflict = z.enum(['refuse', 'skip', 'rename', 'overwrite']);
export type OnConflict = z.infer<typeof OnConflict>;

export const ExtractInput = z
  .strictObject({
    path: RemotePath.describe('The archive'),
    target_path: RemotePath.describe(
      'The directory to extract into; created if only its last name is missing',
    ),
    members: z
      .array(MemberName)
      .min(1)
      .max(1000)
      .optional()
      .describe('Only these, and everything in those that are directories; by default all'),
    encoding: NameEncoding.optional(),
    overwrite: z.boolean().optional().describe('The same as `on_conflict: overwrite`'),
    on_conflict: OnConflict.optional().describe(
      'For files that exist: `refuse` extracts nothing (the default), `skip` leaves them, `rename` writes `name (2)`, `overwrite` replaces them. Directories are merged',
    ),
  })
  .meta({ id: 'ExtractInput' });
export type ExtractInput = z.infer<typeof ExtractInput>;

const written = {
  created: z.int().describe('Files, each complete'),
  directories: z.int().describe('Directories created'),
  bytes: z.int().describe('Of these files'),
  skipped_count: z.int().describe('Members and directories that were not extracted'),
};

const ExtractProgress = z.object({
  type: z.literal('progress'),
  bytes: z.int().describe('Written so far, including files that are not complete'),
  files: z.int(),
  path: z.string().describe('The member being extracted; empty at the start'),
  total_bytes: z.int(),
  total_files: z.int(),
});

const ExtractSkipped = z.object({
  type: z.literal('skipped'),
  name: z.string(),
  code: z.string().describe('As in a refusal, such as `member_link`'),
  detail: z.string(),
});

const ExtractDone = z.object({
  type: z.literal('done'),
  path: z.string().describe('The target'),
  ...written,
});

const ExtractError = z.object({
  type: z.literal('error'),
  code: z.string(),
  detail: z.string(),
  ...written,
  missing: z.array(z.string()).describe('Members that were not reached; the first 100'),
  missing_count: z.int(),
});

export const ExtractEvent = z
  .discriminatedUnion('type', [ExtractProgress, ExtractSkipped, ExtractDone, ExtractError])
  .meta({ id: 'ExtractEvent', 'x-extensible': true });
export type ExtractEvent = z.infer<typeof ExtractEvent>;
export type ExtractStep = z.infer<typeof ExtractProgress> | z.infer<typeof ExtractSkipped>;
export type ExtractEnd = z.infer<typeof ExtractDone> | z.infer<typeof ExtractError>;
