import { readTemplate } from '../lib/text/template.ts';
import type { AuditAction, AuditPhrase } from '../model/audit/audit.ts';

type Templates = Readonly<Record<string, string>>;

const RECORDING = '#{id} of {username} on {server}, started {started_at}';
const SERVER_CHANGE = {
  server_nothing: '{server}: nothing',
  server_pin_dropped: '{server}: {fields}; the pinned host key was dropped',
};
const ON_COMMAND_LINE = { on_command_line: '{content}, on the command line' };
const NOTHING = { nothing: 'nothing' };
const FROM_TO = { from_to: '{server}: {from} to {to}' };

/** The sentences among the details of entries, by action and code; the first that fits counts. */
const PHRASES: Readonly<Partial<Record<AuditAction, Templates>>> = {
  agent_settings_test: { provider_at: '{provider} at {address}' },
  agent_settings_update: NOTHING,
  audit_export: { exported_by: '{format}, by {fields}' },
  audit_recover: { recovered: 'entries: {entries}, refused lines: {refused}' },
  audit_trimmed: { trimmed: 'until {until_at}, in all: {entries}' },
  backup_export: { ...ON_COMMAND_LINE, ...NOTHING },
  backup_restore: ON_COMMAND_LINE,
  branding_update: NOTHING,
  embed_end: {
    embed_expired: '{kind} ({mode}) of {server}: expired',
    embed: '{kind} ({mode}) of {server}',
  },
  embed_start: { embed_started: '{kind} ({mode}) of {server}, by {by}, until {until_at} at most' },
  embed_ticket: { embed: '{kind} ({mode}) of {server}' },
  gateway_start: { started: 'version {version}, instance {instance}' },
  host_key_accept: {
    key_first: '{server}: {fingerprint}, instead of none',
    key_instead: '{server}: {fingerprint}, instead of {before}',
  },
  directory_unavailable: { sign_in_refused: 'the sign-in was refused' },
  host_key_clear: { none_pinned: '{server}: none was pinned' },
  host_key_rotate: {
    key_rotated: '{server}: pinned {fingerprint}, instead of {before}; also announced by the host: {others}',
    key_announced: '{server}: pinned {fingerprint}; also announced by the host: {others}',
  },
  login: { second_factor: '{source}, with a second factor', source: '{source}' },
  login_failed: {
    account_locked: 'the account is locked',
    account_disabled: 'the account is disabled',
    directory_refused: 'refused by the directory',
    directory_silent: 'the directory cannot be asked',
    directory_expired: 'the directory wants a new password first',
    empty_password: 'empty password',
    impossible_name: 'no possible name',
    name_taken: 'the directory accepts it, but another account has this name',
    name_taken_here: 'the directory accepts it, but a local account has this name',
    wrong_code: 'wrong 2FA code',
    wrong_password: 'wrong password',
  },
  proof_failed: { current_password: 'current password', totp_code: '2FA code' },
  quick_key_accept: { key_instead: '{server}: {fingerprint}, instead of {before}' },
  quick_key_pin: { key_for_user: '{server}: {fingerprint}, for user #{user}' },
  recording_close: {
    cast_interrupted: '{file}: sha256 {sha256}, {bytes} bytes, {server}, interrupted, of {username}',
    cast_closed: '{file}: sha256 {sha256}, {bytes} bytes, {server}',
    cast_lost: '{file}: no file, {server}, interrupted, of {username}',
    cast_missing: '{file}: no file, {server}',
  },
  recording_delete: {
    recording_later: `${RECORDING}: its instance deletes the file when it runs again`,
    recording_too_old: `${RECORDING}: older than {days} days`,
    recording_beyond: `${RECORDING}: beyond {bytes} bytes in all`,
    recording: RECORDING,
  },
  recording_stop: {
    cannot_record: '{server}: session refused because it cannot be recorded',
    limit_goes_on: '{file}: size limit reached, session continues',
    limit_reached: '{file}: size limit reached',
    disk_full_goes_on: '{file}: disk full, session continues',
    disk_full: '{file}: disk full',
    unwritable_goes_on: '{file}: file cannot be written, session continues',
    unwritable: '{file}: file cannot be written',
  },
  recording_view: {
    recording_played: `${RECORDING}: played`,
    recording_as_text: `${RECORDING}: read as text`,
    recording_read: `${RECORDING}: read`,
    recording_downloaded: `${RECORDING}: downloaded`,
  },
  secrets_reseal: { resealed: 'secrets: {secrets}, audit chains: {chains}' },
  server_delete: {
    parts_left: '{server}; part files left on the host: {count} ({obstacle})',
    parts_to_remove: '{server}; part files to remove: {count}',
  },
  server_export: { servers: '{count} servers' },
  server_import: { servers: '{count} servers' },
  server_parts_remove: { parts_removed: '{server}: removed {paths}' },
  server_update: SERVER_CHANGE,
  session_revoke: {
    all_other_own: 'all other own sessions: {count}',
    all_own: 'all own sessions: {count}',
    all_of: 'all sessions of {user}: {count}',
    own: 'an own session: {device}',
  },
  settings_reset: NOTHING,
  settings_update: NOTHING,
  sftp_chmod: {
    chmod_all: '{server}: {path} to {mode} with all that is in it',
    from_to: '{server}: {from} to {to}',
  },
  sftp_connect: {
    connected_at: '{server} as {username} at {hop}',
    connected_as: '{server} as {username}',
  },
  sftp_copy: { copy_stopped: '{from} to {to}; not completed ({reason})', copied: '{from} to {to}' },
  sftp_extract: {
    extract_stopped: '{from} to {to}; stopped after files: {files} ({reason})',
    copied: '{from} to {to}',
  },
  sftp_rename: FROM_TO,
  sftp_write: { restored_from: '{server}: {path}: restored from {from}' },
  step_up: { stepped_up: 'with a second factor' },
  terminal_close: {
    closed_because: '{terminal} after {seconds} s ({reason})',
    closed: '{terminal} after {seconds} s',
    instance_ended: '{terminal} (instance_ended)',
  },
  terminal_share: { shared_until: '{terminal}: {mode}, until {until_at}' },
  terminal_unshare: { share_expired: '{terminal}: expired' },
  user_create: { by_directory: '{user} by the directory' },
  user_delete: { belongings: '{user}; with it: API keys: {keys}, snippets: {snippets}' },
  user_groups: { by_directory: '{user} by the directory' },
  user_update: { fields_by_directory: '{user} by the directory: {fields}' },
  webhook_create: { webhook_to: '{webhook} to {address}' },
  webhook_replay: { replayed: '{webhook}: delivery #{delivery}' },
  webhook_update: { webhook_nothing: '{webhook}: nothing' },
};

/** Ends the detail of an entry that was written late. */
export const WRITTEN_LATE = 'written late';

/** What the detail of an entry says, by code; undefined if it is made of names alone. */
export function phraseOf({ action, detail }: { action: string; detail: string }): AuditPhrase | undefined {
  const written_late = detail === WRITTEN_LATE || detail.endsWith(`; ${WRITTEN_LATE}`);
  const text = written_late ? detail.slice(0, -WRITTEN_LATE.length).replace(/; $/, '') : detail;
  for (const [code, template] of Object.entries(templatesOf(action))) {
    const values = readTemplate(template, text);
    if (values) return { code, values, written_late };
  }
  return written_late ? { code: 'plain', values: { text }, written_late } : undefined;
}

function templatesOf(action: string): Templates {
  return Object.entries(PHRASES).find(([name]) => name === action)?.[1] ?? {};
}

/** All codes, for the catalogues. */
export function phraseCodes(): string[] {
  const codes = Object.values(PHRASES).flatMap((templates) => Object.keys(templates));
  return [...new Set(codes), 'plain'].sort();
}
