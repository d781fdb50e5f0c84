import { z } from 'zod';
import { Id, Instant } from './fields.ts';

export const RecordingStatus = z.enum(['recording', 'finished', 'interrupted']);
export type RecordingStatus = z.infer<typeof RecordingStatus>;

export const Recording = z
  .object({
    id: Id,
    server_id: Id.nullable().describe('Null for quick connect, or after the server was deleted'),
    server_name: z.string(),
    username: z.string(),
    started_at: Instant,
    ended_at: Instant.nullable(),
    duration_s: z.number().nullable().describe('Seconds'),
    size_bytes: z.int().nullable(),
    file_path: z.string().describe('Below `SERVICE_RECORDINGS_DIR`'),
    status: RecordingStatus.describe('`interrupted`: the gateway stopped before the session ended'),
  })
  .meta({ id: 'Recording' });
export type Recording = z.infer<typeof Recording>;

export interface RecordingRow extends Recording {
  readonly user_id: number;
  /** Run of the instance that writes it. */
  readonly run_id: string;
  /** The recordings directory with its file, which several instances may share; null from an older version. */
  readonly directory_id: string | null;
  /** Hexadecimal, of the whole file; null until it is closed. */
  readonly sha256: string | null;
}

export type NewRecordingRow = Omit<RecordingRow, 'id'>;

export const RecordingFilter = z.object({
  server_id: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  username: z.string().max(150).optional().describe('The whole name, case-insensitive'),
  search: z.string().max(200).optional().describe('In the names of server and user, case-insensitive'),
  from: Instant.optional().describe('Started at this time or later'),
  to: Instant.optional().describe('Started before this time'),
});
export type RecordingFilter = z.infer<typeof RecordingFilter>;

export const RecordingSearch = z
  .strictObject({
    ...RecordingFilter.shape,
    server_id: Id.optional(),
    text: z.string().trim().min(2).max(200).describe('In any case; in the output that a terminal was sent'),
  })
  .meta({ id: 'RecordingSearch' });
export type RecordingSearch = z.infer<typeof RecordingSearch>;

export const RecordingMatch = z.object({
  at_s: z.number().describe('Seconds from the start of the recording'),
  line: z.string(),
});

/** Each recording with matches as it is found, newest first; then the result, or why it ended. */
export const RecordingSearchEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('found'), recording: Recording, matches: z.array(RecordingMatch) }),
    z.object({ type: z.literal('progress'), searched: z.int(), total: z.int() }),
    z.object({
      type: z.literal('done'),
      searched: z.int(),
      skipped: z.int().describe('Recordings whose file this instance cannot read'),
      continue_to: Instant.nullable().describe(
        'Pass as `to` to go on with the recording at which the search stopped; null at the end',
      ),
    }),
    z.object({ type: z.literal('failed'), detail: z.string(), code: z.string() }),
  ])
  .meta({ id: 'RecordingSearchEvent', 'x-extensible': true });
export type RecordingSearchEvent = z.infer<typeof RecordingSearchEvent>;

export const RecordingVerdict = z
  .object({
    ok: z.boolean(),
    reason: z
      .enum(['changed', 'file_missing', 'not_in_audit_log', 'row_changed', 'in_progress'])
      .nullable()
      .describe(
        '`changed`: the file was changed after it was closed; `not_in_audit_log`: no audit entry names its hash; ' +
          '`row_changed`: the stored hash, size or owner does not match the audit log; ' +
          '`in_progress`: it is still being written',
      ),
    sha256: z.string().nullable().describe('Of the current file'),
    expected_sha256: z.string().nullable().describe('According to the audit log'),
    size_bytes: z.int().nullable(),
    audit_entry_id: Id.nullable(),
  })
  .meta({ id: 'RecordingVerdict' });
export type RecordingVerdict = z.infer<typeof RecordingVerdict>;

/** Picks every field by name, so that a new column never leaks. */
export function toRecording(row: RecordingRow): Recording {
  const { id, server_id, server_name, username, started_at, ended_at, duration_s, size_bytes, file_path } =
    row;
  return {
    id,
    server_id,
    server_name,
    username,
    started_at,
    ended_at,
    duration_s,
    size_bytes,
    file_path,
    status: row.status,
  };
}
