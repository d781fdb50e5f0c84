import { z } from 'zod';
import { Instant } from '../fields.ts';

export const DirectoryEntry = z
  .object({
    name: z.string().describe('With U+FFFD for what is not UTF-8; `path` tells such names apart'),
    path: z.string().describe('Addresses the entry: as text, or as `bytes:` if a name in it is not UTF-8'),
    is_dir: z.boolean().describe('Follows links'),
    is_symlink: z.boolean(),
    link_target: z.string().nullable(),
    size: z.number().describe('Bytes'),
    permissions: z.string().describe('Long listing style, as `drwxr-xr-x`'),
    owner: z.string().describe('Numeric id'),
    group: z.string().describe('Numeric id'),
    modified: Instant,
    addressable: z
      .boolean()
      .describe('False for a name that no operation can address: empty, `.`, `..`, or with a slash or NUL'),
  })
  .meta({ id: 'DirectoryEntry' });
export type DirectoryEntry = z.infer<typeof DirectoryEntry>;

const names = z.record(z.string(), z.string());

export const Listing = z
  .object({
    path: z.string(),
    entries: z.array(DirectoryEntry),
    users: names.describe('Names of owners by numeric id, where the host reports them'),
    groups: names.describe('Names of groups by numeric id, where the host reports them'),
  })
  .meta({ id: 'Listing' });
export type Listing = z.infer<typeof Listing>;

export const Home = z.object({ path: z.string() }).meta({ id: 'Home' });
export type Home = z.infer<typeof Home>;

export const TextFile = z
  .object({
    path: z.string(),
    content: z.string(),
    etag: z.string().describe('Quoted content hash'),
    size: z.int().describe('Bytes'),
    is_writable: z
      .boolean()
      .describe(
        'False where a save would be refused: the account on the host may not write the file, its file system is read-only, or the server is (`sftp_read_only`)',
      ),
  })
  .meta({ id: 'TextFile' });
export type TextFile = z.infer<typeof TextFile>;
