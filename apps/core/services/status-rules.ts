import type { Fault } from '../errors.ts';
import type { ServerRow } from '../model/server.ts';
import type { ServerStatusRow } from '../model/server-status.ts';
import type { Probe } from '../ports/ssh.ts';

const REFUSED_MS = 10 * 60_000; // so long a refused credential is not sent again

/** Whether a check goes as far as authentication: something is stored, and the host has not just refused it. */
export function sendsCredential(server: ServerRow, before: ServerStatusRow | undefined, now: Date): boolean {
  return hasCredential(server) && !isRefused(server, before, now);
}

function hasCredential({ auth_method, password_sealed, private_key_sealed }: ServerRow): boolean {
  if (auth_method === 'prompt') return false;
  return (auth_method === 'key' ? private_key_sealed : password_sealed) !== null;
}

/** An edit of the record, which may have brought another credential, ends the wait. */
function isRefused(server: ServerRow, before: ServerStatusRow | undefined, now: Date): boolean {
  if (!before?.refused_at || before.refused_as !== server.updated_at) return false;
  const since_ms = now.getTime() - Date.parse(before.refused_at);
  return since_ms >= 0 && since_ms < REFUSED_MS;
}

interface Then {
  readonly before: ServerStatusRow | undefined;
  readonly at: Date;
}

/** What a check means for the status that is stored. */
export function toStatusRow(server: ServerRow, probe: Probe, { before, at }: Then): ServerStatusRow {
  const { fault, latency_ms, host_key_verified } = probe;
  const last_checked = at.toISOString();
  const found = { server_id: server.id, last_checked, latency_ms, host_key_verified, ...verdictOn(fault) };
  if (isRefusal(fault)) return { ...found, refused_at: last_checked, refused_as: server.updated_at };
  if (!before || !isRefused(server, before, at)) return { ...found, refused_at: null, refused_as: null };
  const { status, error, refused_at, refused_as } = before;
  // Reached as far as the host key alone, since the credential was refused a while ago: that still holds.
  return fault ? { ...found, refused_at, refused_as } : { ...found, status, error, refused_at, refused_as };
}

/** A host that took the stored credential and then wants a person is up. */
function verdictOn(fault: Fault | undefined): Pick<ServerStatusRow, 'status' | 'error'> {
  if (!fault || fault.code === 'interaction_required') return { status: 'online', error: null };
  return { status: 'offline', error: fault.detail };
}

function isRefusal(fault: Fault | undefined): boolean {
  return fault?.code === 'host_auth_failed' || fault?.code === 'interaction_required';
}
