import { z } from 'zod';
import { Instant } from '../fields.ts';

/** An unfinished upload, stored so that any instance can continue it or clean up after it. */
export interface UploadRow {
  /** Random; used in URLs. */
  readonly id: string;
  readonly user_id: number;
  readonly server_id: number;
  /** The part file on the host, next to `target_path`. */
  readonly part_path: string;
  /** Real path of the finished file. */
  readonly target_path: string;
  /** The target as the caller spelled it. */
  readonly shown_path: string;
  /** Total bytes; null for an upload in one request, which cannot be resumed. */
  readonly length: number | null;
  readonly overwrite: boolean;
  /** `Upload-Metadata` as the client sent it; empty for an upload in one request. */
  readonly metadata: string;
  readonly created_at: string;
  /** When its part file is removed. */
  readonly expires_at: string;
}

export const UploadEntry = z
  .object({
    id: z.string(),
    path: z.string().describe('Target path'),
    length: z.int().describe('Total bytes'),
    expires_at: Instant.describe('When the part is removed from the host'),
  })
  .meta({ id: 'UploadEntry' });
export type UploadEntry = z.infer<typeof UploadEntry>;

export const UploadState = UploadEntry.extend({
  offset: z.int().describe('Bytes already on the host'),
  metadata: z.string().describe('`Upload-Metadata` as it was sent'),
}).meta({ id: 'UploadState' });
export type UploadState = z.infer<typeof UploadState>;
