import { z } from 'zod';
import { Instant } from '../fields.ts';
import { TOLD_WARNINGS } from '../warning.ts';

export const BACKUP_FORMAT = 'sallyport-backup';
export const BACKUP_VERSION = 1;
const NONCE_LENGTH = 16; // characters; NIST SP 800-38D §8.2.2: 12 bytes

/** What a bundle counts, in the order of authentication. */
export const BACKUP_KINDS = [
  'servers',
  'users',
  'api_keys',
  'quick_keys',
  'revoked_keys',
  'webhooks',
  'snippets',
  'settings',
  'branding',
  'audit',
] as const;
export const BackupKind = z.enum(BACKUP_KINDS);
export type BackupKind = z.infer<typeof BackupKind>;

export const BackupCounts = z.partialRecord(BackupKind, z.int().min(0)).meta({ id: 'BackupCounts' });
export type BackupCounts = z.infer<typeof BackupCounts>;

/** RFC 9106; bounded, so that a hostile file cannot demand all memory. */
export const BackupKdf = z.strictObject({
  name: z.literal('argon2id'),
  memory_kib: z.int().min(8192).max(262_144),
  iterations: z.int().min(1).max(10),
  parallelism: z.int().min(1).max(8),
  salt: z.base64().min(24).max(88),
});
export type BackupKdf = z.infer<typeof BackupKdf>;

export const BackupBundle = z
  .strictObject({
    format: z.literal(BACKUP_FORMAT),
    version: z.int().min(1),
    created_at: Instant,
    source_version: z.string().max(50),
    counts: BackupCounts,
    unreadable: z
      .int()
      .min(0)
      .describe(
        'Secrets that no key here could open: they are not in it, and the warnings of a restore name them',
      ),
    left_out: z.int().min(0).describe('Snippets and pinned keys left out because a user has too many'),
    kdf: BackupKdf,
    cipher: z.strictObject({ name: z.literal('aes-256-gcm'), nonce: z.base64().length(NONCE_LENGTH) }),
    data: z.string().describe('Encrypted, base64; authenticates all other fields'),
  })
  .meta({ id: 'BackupBundle' });
export type BackupBundle = z.infer<typeof BackupBundle>;

/** Identifies a bundle of any version. */
export const BackupOutline = z.object({
  format: z.literal(BACKUP_FORMAT),
  version: z.int().min(1),
});

const passphrase = z.string().min(12, 'Must have at least 12 characters').max(1024);

export const BackupExport = z
  .strictObject({
    passphrase: passphrase.describe('At least 12 characters; the bundle cannot be read without it'),
    include_audit: z.boolean().default(false).describe('Include the audit log; its chains stay verifiable'),
  })
  .meta({ id: 'BackupExport' });
export type BackupExport = z.infer<typeof BackupExport>;

export const BackupMode = z.enum(['merge', 'replace']);
export type BackupMode = z.infer<typeof BackupMode>;

export const BackupRestore = z
  .strictObject({
    bundle: z.unknown().describe('A `BackupBundle` from an export'),
    passphrase: z.string().max(1024),
    mode: BackupMode.describe(
      '`merge`: adds what is missing, and the secrets that the current key cannot decrypt; `replace`: makes the gateway match the bundle',
    ),
    dry_run: z.boolean().default(false).describe('Only report what would happen'),
  })
  .meta({ id: 'BackupRestore' });
export type BackupRestore = z.infer<typeof BackupRestore>;

export const BackupReport = z
  .object({
    created: BackupCounts,
    updated: BackupCounts,
    skipped: BackupCounts,
    removed: BackupCounts.describe('With `replace`: rows that are not in the bundle'),
    ...TOLD_WARNINGS,
  })
  .meta({ id: 'BackupReport' });
export type BackupReport = z.infer<typeof BackupReport>;

/** Upper bounds; a larger count would only waste memory. */
export const MOST_OF_KIND: Readonly<Record<BackupKind, number>> = {
  servers: 50_000,
  users: 50_000,
  api_keys: 200_000,
  quick_keys: 200_000,
  revoked_keys: 10_000,
  webhooks: 1000,
  snippets: 200_000,
  settings: 1000,
  branding: 1,
  audit: 1_000_000,
};
