import { z } from 'zod';
import { Id } from './fields.ts';

const server = { server_id: Id, server: z.string() };

/** What each kind tells its receivers; the keys are those of the specification, then ours. */
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
  .meta({ id: 'EventKind' });
export type EventKind = z.infer<typeof EventKind>;

/** What one may subscribe to: `test` goes to the webhook that is tested. */
export const SUBSCRIBABLE = EventKind.exclude(['test']);

export type EventData<Kind extends EventKind> = z.infer<(typeof EVENT_DATA)[Kind]>;

/** Something that happened, as it is stored beside what it was. */
export type GatewayEvent = {
  readonly [Kind in EventKind]: { readonly event: Kind; readonly data: EventData<Kind> };
}[EventKind];
