import type { Fault, FaultCode } from '../errors.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { NOT_REFUSED, type ServerState, type ServerStatusRow } from '../model/hosts/server-status.ts';
import type { Probe } from '../ports/ssh.ts';

const REFUSED_MS = 10 * 60_000; // before a refused credential is tried again

/** Whether a check authenticates: a credential is stored and has not been refused recently. */
export function sendsCredential(server: ServerRow, before: ServerStatusRow | undefined, now: Date): boolean {
  return hasCredential(server) && !isRefused(server, before, now);
}

function hasCredential({ auth_method, password_sealed, private_key_sealed }: ServerRow): boolean {
  if (auth_method === 'prompt') return false;
  return (auth_method === 'key' ? private_key_sealed : password_sealed) !== null;
}

/** A changed credential or account has not been refused yet. */
function isRefused(server: ServerRow, before: ServerStatusRow | undefined, now: Date): boolean {
  return before?.refused_as === markOf(server) && isRecent(before.refused_at, now);
}

/** Allows for clock differences between instances. */
function isRecent(refused_at: string | null, now: Date): boolean {
  return refused_at !== null && Math.abs(now.getTime() - Date.parse(refused_at)) < REFUSED_MS;
}

/** Identifies the stored credential by its ciphertext, which has a new nonce for each sealing and reveals no secret. */
function markOf(server: ServerRow): string {
  const { jump_via_id, hostname, port, username, auth_method } = server;
  const { password_sealed, private_key_sealed, passphrase_sealed } = server;
  const nonces = [password_sealed, private_key_sealed, passphrase_sealed].map(
    (sealed) => sealed?.split(':')[2],
  );
  return JSON.stringify([jump_via_id, hostname, port, username, auth_method, ...nonces]);
}

interface Then {
  readonly before: ServerStatusRow | undefined;
  readonly at: Date;
}

/** Turns the result of a check into the stored status. */
export function toStatusRow(server: ServerRow, probe: Probe, { before, at }: Then): ServerStatusRow {
  const { fault, latency_ms, host_key_verified } = probe;
  const last_checked = at.toISOString();
  const refusal = refusalIn(server, probe, { before, at }) ?? standingRefusal(server, before, at);
  // The check stopped at the host key because the credential was refused before; that status remains.
  const { error, error_code } = errorOf(fault, refusal);
  const status = error === null ? 'online' : 'offline';
  const found = { status, last_checked, latency_ms, error, error_code, host_key_verified } as const;
  const offline_since = offlineSince(status, { before, at });
  return { server_id: server.id, ...found, offline_since, ...refusal, ...tally(status, before) };
}

/** An inconclusive check does not end it; a server that was offline before this was stored has no moment. */
function offlineSince(status: ServerState, { before, at }: Then): string | null {
  if (status === 'online') return null;
  const known = before === undefined || before.status === 'online' ? null : before.offline_since;
  const is_new = status === 'offline' && before?.status !== 'offline';
  return known ?? (is_new ? at.toISOString() : null);
}

const FAILURES_TOLD = 2; // a single failure may be a restart

/** An inconclusive check changes nothing. */
function tally(
  status: ServerState,
  before: ServerStatusRow | undefined,
): Pick<ServerStatusRow, 'failures' | 'told_offline'> {
  const { failures, told_offline } = before ?? { failures: 0, told_offline: false };
  if (status === 'unchecked') return { failures, told_offline };
  if (status === 'online') return { failures: 0, told_offline: false };
  return { failures: failures + 1, told_offline: told_offline || failures + 1 >= FAILURES_TOLD };
}

function errorOf(
  fault: Fault | undefined,
  { refused_error }: Refusal,
): Pick<ServerStatusRow, 'error' | 'error_code'> {
  if (fault && fault.code !== 'interaction_required') return { error: fault.detail, error_code: fault.code };
  return { error: refused_error, error_code: refused_error === null ? null : 'host_auth_failed' };
}

type Refusal = Pick<ServerStatusRow, 'refused_at' | 'refused_as' | 'refused_error'>;

const REFUSALS: ReadonlySet<FaultCode> = new Set(['host_auth_failed', 'interaction_required']);

/**
 * A host that took the stored credential and then wants a person is up, but not to be pressed. Hosts also hang up, or
 * are slow about a refusal, and lock accounts all the same: the second time in a row that counts as one.
 */
function refusalIn(
  server: ServerRow,
  { fault, credential_sent }: Probe,
  { before, at }: Then,
): Refusal | undefined {
  if (!fault || !credential_sent) return undefined;
  const refused_at = at.toISOString();
  const is_certain = REFUSALS.has(fault.code) || isSuspect(before, at);
  if (!is_certain) return { refused_at, refused_as: null, refused_error: null };
  const refused_error = fault.code === 'interaction_required' ? null : fault.detail;
  return { refused_at, refused_as: markOf(server), refused_error };
}

/** The previous check failed after the credential was sent. */
function isSuspect(before: ServerStatusRow | undefined, at: Date): boolean {
  return before !== undefined && before.refused_as === null && isRecent(before.refused_at, at);
}

function standingRefusal(server: ServerRow, before: ServerStatusRow | undefined, at: Date): Refusal {
  if (!before || !isRefused(server, before, at)) return NOT_REFUSED;
  const { refused_at, refused_as, refused_error } = before;
  return { refused_at, refused_as, refused_error };
}

/** Status of a server whose jump host could not be passed; the server itself was not checked. */
export function toObstructedRow(
  server: ServerRow,
  bastion: { readonly name: string; readonly status: ServerState },
  { before, at }: Then,
): ServerStatusRow {
  const is_down = bastion.status === 'offline';
  const status = is_down ? 'offline' : 'unchecked';
  return {
    server_id: server.id,
    status,
    last_checked: at.toISOString(),
    offline_since: offlineSince(status, { before, at }),
    latency_ms: null,
    error: is_down
      ? `Not reached: its jump host ${bastion.name} is offline`
      : `Not checked: its jump host ${bastion.name} lets nobody through without a person`,
    error_code: is_down ? 'jump_host_offline' : 'jump_host_unchecked',
    host_key_verified: null,
    ...tally(status, before),
    ...standingRefusal(server, before, at),
  };
}
