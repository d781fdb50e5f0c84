import { z } from 'zod';
import { Instant } from '../fields.ts';

export const ServerState = z.enum(['online', 'offline', 'unchecked']);
export type ServerState = z.infer<typeof ServerState>;

export const ServerStatus = z
  .object({
    status: ServerState,
    last_checked: Instant.nullable(),
    offline_since: Instant.nullable().describe(
      'When the server was first found offline, without having been online since; null when it is not offline, or when the moment is not known',
    ),
    latency_ms: z.number().nullable().describe('Time until the host was connected; null when it is not'),
    error: z.string().nullable().describe('Why the server is offline or could not be checked'),
    error_code: z
      .string()
      .nullable()
      .describe(
        'The error as a code, such as `host_key_changed`; `jump_host_offline` or `jump_host_unchecked` when a jump host is the cause',
      ),
    host_key_verified: z
      .literal(false)
      .optional()
      .describe('Present when `SERVICE_VERIFY_HOST_KEYS` is off and the key was not checked'),
  })
  .meta({ id: 'ServerStatus' });
export type ServerStatus = z.infer<typeof ServerStatus>;

export const ServerStatuses = z
  .record(z.string(), ServerStatus)
  .describe('By server id')
  .meta({ id: 'ServerStatuses' });
export type ServerStatuses = z.infer<typeof ServerStatuses>;

/** The stored result of a check. */
export interface ServerStatusRow extends Omit<ServerStatus, 'host_key_verified'> {
  readonly server_id: number;
  /** Null when no key was seen. */
  readonly host_key_verified: boolean | null;
  /** When the host last refused the stored credential; all three are null when it accepted it. */
  readonly refused_at: string | null;
  /** The refused credential and account; null while a single failure is only a suspicion. */
  readonly refused_as: string | null;
  /** Why this makes the server offline; null when the host only asks for a person as well. */
  readonly refused_error: string | null;
  /** Consecutive failures. */
  readonly failures: number;
  /** Whether `server_offline` was sent and `server_online` not yet. */
  readonly told_offline: boolean;
}

export const UNCHECKED: ServerStatus = {
  status: 'unchecked',
  last_checked: null,
  offline_since: null,
  latency_ms: null,
  error: null,
  error_code: null,
};

export const NOT_REFUSED = { refused_at: null, refused_as: null, refused_error: null };

/** For a server that has not been checked since it was created or its address changed. */
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

/** Picks every field by name, so that a new column never leaks. */
export function toServerStatus(row: ServerStatusRow): ServerStatus {
  const { status, last_checked, latency_ms, error, error_code } = row;
  const offline_since = status === 'offline' ? row.offline_since : null; // an older monitor leaves it as it was
  const unverified = row.host_key_verified === false ? { host_key_verified: false as const } : {};
  return { status, last_checked, offline_since, latency_ms, error, error_code, ...unverified };
}
