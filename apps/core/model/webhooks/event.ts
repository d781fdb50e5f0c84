import { z } from 'zod';
import { Id } from '../fields.ts';

const server = { server_id: Id, server: z.string() };

/** The payload of each event kind. */
export const EVENT_DATA = {
  user_login: z.object({ username: z.string(), user_id: Id, ip: z.string() }),
  user_login_failed: z.object({ username: z.string(), ip: z.string() }),
  ssh_connect: z.object({ user: z.string(), ...server, host: z.string(), via_jump: z.boolean() }),
  sftp_upload: z.object({ user: z.string(), ...server, paths: z.array(z.string()), count: z.int() }),
  sftp_delete: z.object({ user: z.string(), ...server, path: z.string() }),
  server_added: z.object({ id: Id, name: z.string(), hostname: z.string(), by: z.string() }),
  server_deleted: z.object({ id: Id, name: z.string(), hostname: z.string(), by: z.string() }),
  server_offline: z.object({ ...server, hostname: z.string(), error: z.string() }),
  server_online: z.object({ ...server, hostname: z.string(), error: z.null() }),
  test: z.object({ webhook_id: Id, name: z.string(), triggered_by: z.string() }),
} as const;

export const EventKind = z
  .enum(Object.keys(EVENT_DATA) as [keyof typeof EVENT_DATA, ...(keyof typeof EVENT_DATA)[]])
  .meta({ id: 'EventKind', 'x-extensible': true });
export type EventKind = z.infer<typeof EventKind>;

/** Kinds a webhook can subscribe to; `test` always goes to the tested webhook. */
export const SUBSCRIBABLE = EventKind.exclude(['test']);

export type EventData<Kind extends EventKind> = z.infer<(typeof EVENT_DATA)[Kind]>;

/** An event, stored in the same transaction as its cause. */
export type GatewayEvent = {
  readonly [Kind in EventKind]: { readonly event: Kind; readonly data: EventData<Kind> };
}[EventKind];
