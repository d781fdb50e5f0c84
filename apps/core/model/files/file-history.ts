import { z } from 'zod';
import { AuditPhrase } from '../audit/audit.ts';
import { Id, Instant } from '../fields.ts';
import { RemotePath } from './file-change.ts';

export const FileHistoryEntry = z
  .object({
    id: Id.describe('Of the audit entry'),
    action: z.string().describe('As in the audit log, such as `sftp_write`'),
    username: z.string().describe('At the time of the action'),
    created_at: Instant,
    size: z.int().nullable().describe('Bytes that a save wrote; null when the entry does not say'),
    detail: z.string(),
    phrase: AuditPhrase.optional().describe('Missing when `detail` has names alone'),
  })
  .meta({ id: 'FileHistoryEntry' });
export type FileHistoryEntry = z.infer<typeof FileHistoryEntry>;

export const OldCopy = z
  .object({
    path: z.string(),
    size: z.int(),
    modified: z.string().describe('When the copy was made'),
  })
  .meta({ id: 'OldCopy' });
export type OldCopy = z.infer<typeof OldCopy>;

export const FileHistory = z
  .object({
    path: z.string(),
    audit_path: z.string().describe('The path that audit entries name: without links'),
    scope: z
      .enum(['everybody', 'own'])
      .describe('`own`: only what the caller did; administrators see what everybody did'),
    entries: z.array(FileHistoryEntry).describe('Newest first, at most 100'),
    copies: z
      .array(OldCopy)
      .describe(
        'Copies of the old content that are on the host: of a save in place that is running or was interrupted',
      ),
  })
  .meta({ id: 'FileHistory' });
export type FileHistory = z.infer<typeof FileHistory>;

export const RestoreInput = z
  .strictObject({
    path: RemotePath,
    copy_path: RemotePath.describe('One of the `copies` of its history'),
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
