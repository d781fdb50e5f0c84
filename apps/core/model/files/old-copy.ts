import { z } from 'zod';
import { RemotePath } from './file-change.ts';

export const OldCopy = z
  .object({
    path: z.string(),
    size: z.int(),
    modified: z.string().describe('When the copy was made'),
  })
  .meta({ id: 'OldCopy' });
export type OldCopy = z.infer<typeof OldCopy>;

export const OldCopies = z
  .object({
    path: z.string(),
    real_path: z.string().describe('Without links, as audit entries have it'),
    copies: z
      .array(OldCopy)
      .describe(
        'Copies of the old content that are on the host: of a save in place that is running or was interrupted',
      ),
  })
  .meta({ id: 'OldCopies' });
export type OldCopies = z.infer<typeof OldCopies>;

export const RestoreInput = z
  .strictObject({
    path: RemotePath,
    copy_path: RemotePath.describe('One of its old copies'),
  })
  .meta({ id: 'RestoreInput' });
export type RestoreInput = z.infer<typeof RestoreInput>;

export const Restored = z
  .object({
    path: z.string(),
    status: z.literal('restored'),
    size: z.int(),
  })
  .meta({ id: 'Restored' });
export type Restored = z.infer<typeof Restored>;
