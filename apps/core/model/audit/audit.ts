import { z } from 'zod';
import { Transport } from '../accounts/caller.ts';
import { Id, Instant } from '../fields.ts';
import { settingComplaint } from '../settings/setting.ts';
import { Phrase } from '../warning.ts';

/** Every recorded action, in alphabetical order. */
export const AuditAction = z
  .enum([
    'agent_ask',
    'agent_settings_test',
    'agent_settings_update',
    'agent_tool',
    'api_key_create',
    'api_key_revoke',
    'audit_export',
    'audit_limits',
    'audit_recover',
    'audit_trimmed',
    'backup_export',
    'backup_restore',
    'branding_reset',
    'branding_update',
    'directory_unavailable',
    'embed_end',
    'embed_start',
    'embed_ticket',
    'gateway_start',
    'host_key_accept',
    'host_key_clear',
    'host_key_import',
    'host_key_learn',
    'host_key_pin',
    'host_key_revoke',
    'host_key_revoke_undo',
    'host_key_rotate',
    'login',
    'login_failed',
    'logout',
    'password_change',
    'proof_failed',
    'quick_key_accept',
    'quick_key_forget',
    'quick_key_pin',
    'recording_close',
    'recording_delete',
    'recording_search',
    'recording_stop',
    'recording_view',
    'recovery_code_use',
    'recovery_codes_renew',
    'secrets_reseal',
    'server_create',
    'server_delete',
    'server_export',
    'server_import',
    'server_parts_remove',
    'server_update',
    'session_revoke',
    'settings_reset',
    'settings_update',
    'sftp_chmod',
    'sftp_connect',
    'sftp_copy',
    'sftp_delete',
    'sftp_download',
    'sftp_extract',
    'sftp_mkdir',
    'sftp_rename',
    'sftp_upload',
    'sftp_write',
    'sftp_zip',
    'snippet_create',
    'snippet_delete',
    'snippet_update',
    'step_up',
    'terminal_close',
    'terminal_end',
    'terminal_join',
    'terminal_leave',
    'terminal_open',
    'terminal_refuse',
    'terminal_resume',
    'terminal_share',
    'terminal_unshare',
    'terminal_watch',
    'totp_disable',
    'totp_enable',
    'totp_reset',
    'user_create',
    'user_delete',
    'user_groups',
    'user_password_reset',
    'user_unlock',
    'user_update',
    'webhook_create',
    'webhook_delete',
    'webhook_replay',
    'webhook_test',
    'webhook_update',
  ])
  .meta({ 'x-extensible': true });
export type AuditAction = z.infer<typeof AuditAction>;

export const AuditEntry = z
  .object({
    id: Id,
    user_id: Id.nullable().describe('Null when there is no such user'),
    username: z.string().describe('At the time of the action'),
    action: z.string(),
    detail: z.string().describe('What the action applied to; names of fields, never their values'),
    ip_address: z.string(),
    created_at: Instant,
    hash: z.string().describe('Covers this entry and the one before it'),
    via: z
      .string()
      .optional()
      .describe(
        'How the user came: `page` (also a program that signs in with a password), `api` (an API key), `embed` (an element in ' +
          'another page) or `agent` (the AI agent, on behalf of the user). Later versions may know more. Missing when the gateway ' +
          'acted by itself, and in entries of version 0.7.0 and older',
      ),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPhrase = Phrase.extend({
  values: Phrase.shape.values.describe('Names that end in `_at` are instants'),
  written_late: z.boolean().describe('The database was down when it happened'),
}).describe('What `detail` says, for translations');
export type AuditPhrase = z.infer<typeof AuditPhrase>;

/** An entry as a list has it. */
export const ListedAuditEntry = AuditEntry.extend({
  phrase: AuditPhrase.optional().describe('Missing when `detail` has names alone'),
}).meta({ id: 'ListedAuditEntry' });
export type ListedAuditEntry = z.infer<typeof ListedAuditEntry>;

/** The content of an entry; its hash covers all of it. */
export interface AuditRecord extends Omit<AuditEntry, 'id' | 'hash' | 'action' | 'via'> {
  readonly action: string;
  /** A `Transport`, or one that a later version knows. */
  readonly via?: string | null | undefined;
}

/** An entry at its position in the chain of one instance. */
export interface NewAuditRow extends AuditRecord {
  readonly chain_id: string;
  /** 1, 2, 3, … within the chain. */
  readonly seq: number;
  readonly hash: string;
}

export interface AuditRow extends NewAuditRow {
  readonly id: number;
}

export interface ScannedAuditRow extends AuditRow {
  /** False when its search keys do not match its content, which hides it from filters: changed, or made by another version of Unicode. */
  readonly is_findable: boolean;
}

/** The head of a chain. Each running instance writes its own chain. */
export interface AuditChainRow {
  readonly id: string;
  /** 1, 2, 3, … among the chains. */
  readonly number: number;
  readonly instance_id: string;
  readonly started_at: string;
  readonly entries: number;
  readonly last_hash: string;
  /** Checkpoints of the other chains when this one was opened, unless an earlier chain has them. */
  readonly witness: string;
  /** Covers all of the above. */
  readonly signature: string;
}

/** The signed record of what retention has removed: the beginning of some chains. */
export interface AuditTrimRow {
  /** 1, 2, 3, … among the removals; the highest is in force. */
  readonly number: number;
  /** Time of the latest removed entry. */
  readonly until: string;
  readonly removed_at: string;
  /** The last removed entry of each chain, with its hash. */
  readonly cuts: string;
  /** The limits that the log had recorded: their entries may be among the removed ones. */
  readonly limits: string;
  /** Covers all of the above. */
  readonly signature: string;
}

const RESTORED = 'restored: ';

/** Marks the instance of a restored chain: the maker of a bundle can forge its chains. */
export function restoredInstance(instance_id: string): string {
  return isRestored({ instance_id }) ? instance_id : RESTORED + instance_id;
}

export function isRestored({ instance_id }: Pick<AuditChainRow, 'instance_id'>): boolean {
  return instance_id.startsWith(RESTORED);
}

/** The signed number of chains, so that a removed chain is noticed. */
export interface AuditRollRow {
  readonly chains: number;
  readonly signature: string;
}

const MOST_REPEATED = 40;
const MOST_TEXTS = 10;
const LONGEST_TOGETHER = 400;
const TOO_LONG = `Must be at most ${MOST_TEXTS} texts with ${LONGEST_TOGETHER} characters together`;

function isShortEnough(texts: readonly string[]): boolean {
  return texts.length <= MOST_TEXTS && texts.join('').length <= LONGEST_TOGETHER;
}

export const AuditFilter = z.object({
  username: z.string().max(150).optional().describe('The whole name, case-insensitive'),
  action: z.string().max(50).optional(),
  via: Transport.optional().describe('How the user came'),
  search: z.string().max(200).optional().describe('In name, action, detail and address, case-insensitive'),
  since: instantOrDay().optional().describe('From this moment; a date means midnight UTC'),
  until: instantOrDay().optional().describe('Before this moment; a date means midnight UTC'),
  actions: oneOrMore(z.string().max(50)).optional().describe('Any of these actions; may be repeated'),
  searches: z
    .union([z.string().max(200), z.array(z.string().max(200)).min(1)])
    .refine((texts) => isShortEnough([texts].flat()), TOO_LONG)
    .optional()
    .describe(
      'Like `search`; may be repeated, for texts that must all occur: at most 10, with 400 characters together',
    ),
  address: z.string().max(100).optional().describe('The beginning of the address, case-insensitive'),
});
export type AuditFilter = z.infer<typeof AuditFilter>;

/** A query parameter that may be repeated. */
function oneOrMore(text: z.ZodString) {
  return z.union([text, z.array(text).min(1).max(MOST_REPEATED)]);
}

function instantOrDay() {
  return z
    .union([z.iso.datetime({ offset: true }), z.iso.date()])
    .transform((text) => new Date(text).toISOString())
    .refine((at) => /^(19[7-9]|[2-9]\d\d)\d/.test(at), 'Must be a year from 1970 to 9999');
}

export const AuditCheckpoint = z
  .object({
    removed: z.int().describe('Number of entries that retention has removed'),
    until: Instant.describe('Time of the latest of them; the log is complete after it'),
    removed_at: Instant,
  })
  .meta({ id: 'AuditCheckpoint' });
export type AuditCheckpoint = z.infer<typeof AuditCheckpoint>;

export const AuditRetentionQuery = z.object({
  audit_retention_days: limitQuery('audit_retention_days'),
  audit_max_entries: limitQuery('audit_max_entries'),
});
export type AuditRetentionQuery = z.infer<typeof AuditRetentionQuery>;

function limitQuery(key: 'audit_retention_days' | 'audit_max_entries') {
  return z.coerce
    .number()
    .int()
    .default(0)
    .refine((value) => settingComplaint(key, value) === undefined, 'Must be a value that the setting takes');
}

export const AuditExcess = z
  .object({
    entries: z
      .int()
      .describe('Number of entries that these limits would remove now; a lower bound in a log of millions'),
    before: Instant.describe('All of them are older; export them with `until`'),
    newest: Instant.nullable().describe('Time of the newest of them; null when there is none'),
    acts_at: Instant.describe('The limits act no earlier if they are saved now'),
  })
  .meta({ id: 'AuditExcess' });
export type AuditExcess = z.infer<typeof AuditExcess>;

export const AuditVerdict = z
  .object({
    ok: z.boolean(),
    entries: z.int().describe('Number of entries checked'),
    verified_before: z
      .object({ entries: z.int(), began_at: Instant })
      .nullable()
      .describe(
        'The entries that an earlier verification checked and this one did not read again; null when it read the whole log',
      ),
    restored: z
      .int()
      .describe(
        'How many of them came from a backup; they are unchanged since the restore, but not verifiable before it',
      ),
    checkpoint: AuditCheckpoint.nullable().describe('Null when nothing was ever removed'),
    first_bad_id: Id.nullable().describe('The first entry that fails; null when a whole chain is missing'),
    reason: z
      .enum(['edited', 'removed', 'cut_off', 'added', 'head_forged', 'chain_removed', 'checkpoint_forged'])
      .nullable()
      .describe(
        '`edited`: its content was changed; `removed`: an entry before it is missing; `cut_off`: entries after it ' +
          'are missing; `added`: not recorded by a gateway; `head_forged`: the signature of its chain does not match ' +
          'this secret key; `chain_removed`: all entries of one instance are missing; `checkpoint_forged`: the record of what retention ' +
          'has removed was changed or set back',
      ),
  })
  .meta({ id: 'AuditVerdict' });
export type AuditVerdict = z.infer<typeof AuditVerdict>;

/** Picks every field by name, so that a new column never leaks. */
export function toAuditEntry(row: AuditRow): AuditEntry {
  const { id, user_id, username, action, detail, ip_address, created_at, hash, via } = row;
  const entry = { id, user_id, username, action, detail, ip_address, created_at, hash };
  return via ? { ...entry, via } : entry;
}
