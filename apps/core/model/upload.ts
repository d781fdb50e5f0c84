import { z } from 'zod';
import { Instant } from './fields.ts';

/** A file that is on its way onto a host, kept so that any instance can go on with it or clean up after it. */
export interface UploadRow {
  /** Random; names it in addresses. */
  readonly id: string;
  readonly user_id: number;
  readonly server_id: number;
  /** Where it grows on the host: beside `target_path`. */
  readonly part_path: string;
  /** Real path of what it becomes. */
  readonly target_path: string;
  /** As the caller spelled it. */
  readonly shown_path: string;
  /** Bytes in all; null for one that is sent in one go (it cannot be resumed). */
  readonly length: number | null;
  readonly overwrite: boolean;
  readonly created_at: string;
  /** Then its part file is removed. */
  readonly expires_at: string;
}

export const UploadEntry = z
  .object({
    id: z.string(),
    path: z.string().describe('What it becomes'),
    length: z.int().describe('Bytes in all'),
    expires_at: Instant.describe('Then its part is removed from the host'),
  })
  .meta({ id: 'UploadEntry' });
export type UploadEntry = z.infer<typeof UploadEntry>;

export const UploadState = UploadEntry.extend({
  offset: z.int().describe('Bytes that are on the host'),
}).meta({ id: 'UploadState' });
export type UploadState = z.infer<typeof UploadState>;
