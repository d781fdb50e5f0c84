import { z } from 'zod';
import { Instant } from './fields.ts';

export const ServerState = z.enum(['online', 'offline', 'unchecked']);
export type ServerState = z.infer<typeof ServerState>;

export const ServerStatus = z
  .object({
    status: ServerState,
    last_checked: Instant.nullable(),
    latency_ms: z
      .number()
      .nullable()
      .describe('Until the connection to the host stood; null when it does not'),
    error: z.string().nullable().describe('Why it is offline, or could not be checked'),
    error_code: z
      .string()
      .nullable()
      .describe(
        'That as a code, such as `host_key_changed`; null where the cause lies before the server itself',
      ),
    host_key_verified: z
      .literal(false)
      .optional()
      .describe('There while `SERVICE_VERIFY_HOST_KEYS` is off and the key was not checked'),
  })
  .meta({ id: 'ServerStatus' });
export type ServerStatus = z.infer<typeof ServerStatus>;

export const ServerStatuses = z
  .record(z.string(), ServerStatus)
  .describe('By id of the server')
  .meta({ id: 'ServerStatuses' });
export type ServerStatuses = z.infer<typeof ServerStatuses>;

/** What a check found out, as the database keeps it. */
export interface ServerStatusRow extends Omit<ServerStatus, 'host_key_verified'> {
  readonly server_id: number;
  /** Null where no key was seen. */
  readonly host_key_verified: boolean | null;
  /** When the host last did not take the stored credential; all three are null when it did. */
  readonly refused_at: string | null;
  /** Which credential that was, and of which account; null while one bad end is no more than a suspicion. */
  readonly refused_as: string | null;
  /** Why it is offline for that; null where it is not, since the host only wants a person besides. */
  readonly refused_error: string | null;
  /** Bad ends in a row. */
  readonly failures: number;
  /** Whether `server_offline` was told and `server_online` not yet. */
  readonly told_offline: boolean;
}

export const UNCHECKED: ServerStatus = {
  status: 'unchecked',
  last_checked: null,
  latency_ms: null,
  error: null,
  error_code: null,
};

export const NOT_REFUSED = { refused_at: null, refused_as: null, refused_error: null };

/** Of a server that no check has looked at, or not since its address changed. */
export function uncheckedRow(server_id: number): ServerStatusRow {
  return {
    server_id,
    ...UNCHECKED,
    host_key_verified: null,
    ...NOT_REFUSED,
    failures: 0,
    told_offline: false,
  };
}

/** What a client may see, field by field. */
export function toServerStatus(row: ServerStatusRow): ServerStatus {
  const { status, last_checked, latency_ms, error, error_code } = row;
  const unverified = row.host_key_verified === false ? { host_key_verified: false as const } : {};
  return { status, last_checked, latency_ms, error, error_code, ...unverified };
}
