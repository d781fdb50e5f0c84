import type { Caller } from '../model/accounts/caller.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { ServerStatusRow } from '../model/hosts/server-status.ts';
import type { GatewayEvent } from '../model/webhooks/event.ts';
import type { FiredEvent, ServerFiredEvent } from '../ports/repositories/webhooks.ts';

const MOST_PATHS = 1_000;
const MOST_PATH_BYTES = 60 * 1024; // keeps an event under 64 KiB

type User = Pick<Caller, 'username'>;
type Named = Pick<ServerRow, 'id' | 'name'>;

export function connectEvent({ username: user }: User, server: ServerRow): GatewayEvent {
  const { id: server_id, name, hostname, port, jump_via_id } = server;
  const host = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  const via_jump = jump_via_id !== null;
  return { event: 'ssh_connect', data: { user, server_id, server: name, host, via_jump } };
}

/** Undefined when nothing was uploaded. Of many files it names the first and counts all. */
export function uploadEvent(
  { username: user }: User,
  { id: server_id, name: server }: Named,
  uploaded: readonly string[],
): GatewayEvent | undefined {
  if (uploaded.length === 0) return undefined;
  const paths = firstOf(uploaded);
  return { event: 'sftp_upload', data: { user, server_id, server, paths, count: uploaded.length } };
}

export function deleteEvent(
  { username: user }: User,
  { id: server_id, name: server }: Named,
  path: string,
): GatewayEvent {
  return { event: 'sftp_delete', data: { user, server_id, server, path } };
}

/** The id is added when the row is inserted. */
export function addedEvent(
  { username: by }: User,
  { name, hostname, created_at: fired_at }: Pick<ServerRow, 'name' | 'hostname' | 'created_at'>,
): ServerFiredEvent {
  return { event: 'server_added', data: { name, hostname, by }, fired_at };
}

export function deletedEvent({ username: by }: User, server: ServerRow, fired_at: string): FiredEvent {
  const { id, name, hostname } = server;
  return { event: { event: 'server_deleted', data: { id, name, hostname, by } }, fired_at };
}

/** The event for a new status; undefined when it was already sent. */
export function statusEvent(
  { id: server_id, name: server, hostname }: ServerRow,
  { status, error, told_offline, last_checked }: ServerStatusRow,
): FiredEvent | undefined {
  if (last_checked === null) return undefined;
  const fired_at = last_checked;
  const about = { server_id, server, hostname };
  if (status === 'online')
    return { event: { event: 'server_online', data: { ...about, error: null } }, fired_at };
  if (status === 'unchecked' || !told_offline) return undefined;
  return { event: { event: 'server_offline', data: { ...about, error: error ?? '' } }, fired_at };
}

function firstOf(paths: readonly string[]): string[] {
  const encoder = new TextEncoder();
  let left = MOST_PATH_BYTES;
  const first: string[] = [];
  for (const path of paths.slice(0, MOST_PATHS)) {
    left -= encoder.encode(JSON.stringify(path)).length + 1;
    if (left < 0) break;
    first.push(path);
  }
  return first;
}
