import type { ApiKeyRow } from '#core/model/accounts/api-key.ts';
import type { TicketRow } from '#core/model/accounts/ticket.ts';
import type { UserRow } from '#core/model/accounts/user.ts';
import type { PendingSignInRow, WebSessionRow } from '#core/model/accounts/web-session.ts';
import type { AuditChainRow, NewAuditRow } from '#core/model/audit/audit.ts';
import { ServerFields, type ServerRow } from '#core/model/hosts/server.ts';
import type { ServerStatusRow } from '#core/model/hosts/server-status.ts';
import type { NewRecordingRow } from '#core/model/recording.ts';
import type { SnippetRow } from '#core/model/snippet.ts';
import type { InstanceRow, QuickHostKeyRow, TerminalSessionRow } from '#core/model/terminal.ts';
import type { NewUserRow } from '#core/ports/repositories/accounts.ts';
import type { ImportedServerRow, NewServerRow } from '#core/ports/repositories/hosts.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Fresh } from './stores.ts';

export const AT = '2026-01-02T03:04:05.678Z';
export const LATER = '2026-01-02T04:04:05.678Z';
export const LIMITS = { most_hops: 8 };
export const TTL_MS = 90_000;

export function userRow(change: Partial<NewUserRow> = {}): NewUserRow {
  return {
    username: 'admin',
    is_admin: true,
    must_change_password: true,
    totp_enabled: false,
    allowed_groups: ['web', "o'hara", 'ünï'],
    source: 'local',
    password_hash: '$argon2id$…',
    disabled: false,
    created_at: AT,
    ...change,
  };
}

export function serverRow(change: Partial<NewServerRow> = {}): NewServerRow {
  return {
    ...ServerFields.parse({
      ...{ name: 'alpha', hostname: 'alpha.test', username: 'root' },
      ...{ group: 'web', tags: ['linux'], sftp_allowed_paths: ['/srv'] },
    }),
    password_sealed: 'sealed',
    private_key_sealed: null,
    passphrase_sealed: null,
    host_key: null,
    host_key_fingerprint: '',
    announced_host_keys: [],
    key_exchange: null,
    server_version: null,
    last_connected_at: null,
    created_at: AT,
    updated_at: AT,
    ...change,
  };
}

/** `jump_via_index` is the jump host's index in the imported list. */
export function importedRow(change: Partial<ImportedServerRow> = {}): ImportedServerRow {
  return { ...serverRow(change), jump_via_index: change.jump_via_index };
}

export function statusRow(server_id: number, change: Partial<ServerStatusRow> = {}): ServerStatusRow {
  return {
    server_id,
    status: 'online',
    last_checked: AT,
    offline_since: null,
    latency_ms: 12.5,
    error: null,
    error_code: null,
    host_key_verified: true,
    refused_at: null,
    refused_as: null,
    refused_error: null,
    failures: 0,
    told_offline: false,
    ...change,
  };
}

export function sessionRow(user_id: number, change: Partial<WebSessionRow> = {}): WebSessionRow {
  return {
    id: 'session',
    user_id,
    created_at: AT,
    last_seen_at: AT,
    expires_at: LATER,
    fresh_until: LATER,
    ip_address: '192.0.2.1',
    user_agent: 'Browser',
    embed: null,
    minted_session_id: null,
    minted_key_id: null,
    ...change,
  };
}

export function ticketRow(change: Partial<TicketRow> = {}): TicketRow {
  return {
    digest: 'digest',
    credential: { kind: 'session', id: 'session' },
    payload: { purpose: 'file', server_id: 7, path: '/srv/a b' },
    expires_at: LATER,
    ...change,
  };
}

export function pendingRow(user_id: number, change: Partial<PendingSignInRow> = {}): PendingSignInRow {
  return { id: 'pending', user_id, expires_at: LATER, ...change };
}

export function apiKeyRow(
  user_id: number,
  change: Partial<Omit<ApiKeyRow, 'id'>> = {},
): Omit<ApiKeyRow, 'id'> {
  return {
    user_id,
    name: 'backup job',
    key_prefix: 'sp_abc',
    key_digest: 'digest',
    scopes: ['read', 'files'],
    expires_at: null,
    last_used_at: null,
    created_at: AT,
    ...change,
  };
}

export function chainRow(change: Partial<AuditChainRow> = {}): AuditChainRow {
  return {
    id: 'chain',
    number: 1,
    instance_id: 'instance',
    started_at: AT,
    entries: 0,
    last_hash: '',
    witness: '[]',
    signature: 'signed',
    ...change,
  };
}

export function auditRow(change: Partial<NewAuditRow> = {}): NewAuditRow {
  return {
    chain_id: 'chain',
    seq: 1,
    user_id: 1,
    username: 'Admin',
    action: 'login',
    detail: '',
    ip_address: '192.0.2.1',
    via: null,
    created_at: AT,
    hash: 'hash',
    ...change,
  };
}

/** One row per change, with consecutive `seq` numbers. */
export function auditRows(changes: readonly Partial<NewAuditRow>[]): NewAuditRow[] {
  return changes.map((change, i) => auditRow({ seq: i + 1, ...change }));
}

export function instanceRow(run_id: string): InstanceRow {
  return {
    run_id,
    instance_id: `instance ${run_id}`,
    url: `http://${run_id}.test:8443`,
    machine: 'here',
    proof: 'proof',
    clock_skew_ms: 0,
    recordings_directory_id: null,
    version: '0.7.0',
  };
}

export function terminalRow(change: Partial<TerminalSessionRow> = {}): TerminalSessionRow {
  return {
    id: 'session',
    run_id: 'one',
    user_id: 7,
    username: 'Admin',
    server_id: 3,
    server_name: 'alpha "b" ünï',
    started_at: AT,
    last_activity: AT,
    participants: 1,
    recording: false,
    share_digest: null,
    over: false,
    kept_ms: null,
    kept_until: null,
    ...change,
  };
}

export function recordingRow(change: Partial<NewRecordingRow> = {}): NewRecordingRow {
  return {
    run_id: 'one',
    directory_id: null,
    user_id: 7,
    username: 'Admin',
    server_id: null,
    server_name: 'alpha',
    started_at: AT,
    ended_at: null,
    duration_s: null,
    size_bytes: null,
    file_path: '2026/01/02/admin-alpha.cast',
    sha256: null,
    status: 'recording',
    ...change,
  };
}

export function snippetRow(
  user_id: number,
  change: Partial<Omit<SnippetRow, 'id'>> = {},
): Omit<SnippetRow, 'id'> {
  return {
    user_id,
    name: 'Disk usage',
    command: 'df -h',
    description: '',
    shared: false,
    confirm: false,
    created_at: AT,
    ...change,
  };
}

export function quickKeyRow(
  user_id: number,
  change: Partial<Omit<QuickHostKeyRow, 'id'>> = {},
): Omit<QuickHostKeyRow, 'id'> {
  return {
    user_id,
    hostname: 'alpha.test',
    port: 22,
    host_key: 'AAAA',
    fingerprint: 'SHA256:aaaa',
    created_at: AT,
    ...change,
  };
}

/** Two instances on the same database. */
export async function twoInstances(fresh: Fresh): Promise<[Repositories, Repositories]> {
  const url = await fresh.url();
  return [createRepositories(await fresh.migrated(url)), createRepositories(await fresh.migrated(url))];
}

/** A chain in order: each server jumps through the one before it, the first through `jump_via_id`. */
export async function insertChain(
  { servers }: Pick<Repositories, 'servers'>,
  length: number,
  jump_via_id: number | null = null,
): Promise<ServerRow[]> {
  const chain: ServerRow[] = [];
  for (let i = 0; i < length; i += 1) {
    chain.push(await servers.insert(serverRow({ jump_via_id: chain.at(-1)?.id ?? jump_via_id })));
  }
  return chain;
}

export async function firstUser(
  { users }: Pick<Repositories, 'users'>,
  change: Partial<NewUserRow> = {},
): Promise<UserRow> {
  const user = await users.insertFirst(userRow(change));
  if (!user) throw new Error('There is a user already');
  return user;
}
