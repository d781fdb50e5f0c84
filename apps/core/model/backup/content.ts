import { z } from 'zod';
import { Scope } from '../accounts/api-key.ts';
import { NewUser, Username, type UserRow } from '../accounts/user.ts';
import { passwordKeeperOf, UserSource } from '../accounts/user-source.ts';
import type { AuditRecord } from '../audit/audit.ts';
import { ENDS, Id, Instant } from '../fields.ts';
import { ServerInput } from '../hosts/server.ts';
import { BRANDING_IMAGES, BrandingInput } from '../settings/branding.ts';
import { SettingValue } from '../settings/setting.ts';
import { SnippetInput } from '../snippet.ts';
import { WebhookInput } from '../webhooks/webhook.ts';

/** In clear inside the encryption: empty for none, null when the exporting gateway could not decrypt it. */
const secret = (max: number) => z.string().max(max).nullable().default('');

const digest = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'Must be a SHA-256 digest');
const hostKey = z.base64().min(16).max(22_000); // the largest key a host can announce has 16 KiB
const MOST_NAMES = 1024 * 1024; // a known_hosts file is not larger
const owner = Username.describe('Username of the owner');

const {
  jump_via_id: _id,
  password: _password,
  private_key: _key,
  passphrase: _phrase,
  ...server
} = ServerInput.shape;

export const BackupServer = z.object({
  ...server,
  /** Index of the jump host among the servers of the bundle, because ids differ between gateways. */
  jump: z.int().min(0).nullable().default(null),
  password: secret(1024),
  private_key: secret(65_536),
  passphrase: secret(1024),
  host_key: hostKey.nullable().default(null),
  announced_host_keys: z.array(hostKey).max(64).default([]),
  last_connected_at: Instant.nullable().default(null),
  created_at: Instant,
  updated_at: Instant,
});
export type BackupServer = z.infer<typeof BackupServer>;

/** PHC string of argon2id with bounded cost. */
const passwordHash = z
  .string()
  .max(512, ENDS)
  .refine(isBoundedHash, 'Must be an argon2id hash of at most 256 MiB, 20 passes and 16 lanes');

export const BackupUser = z
  .object({
    username: Username,
    is_default_admin: z.boolean().default(false),
    is_admin: z.boolean(),
    must_change_password: z.boolean(),
    allowed_groups: NewUser.shape.allowed_groups,
    source: UserSource,
    directory_id: z.string().min(1).max(1024).nullable().default(null),
    password_hash: passwordHash.nullable(),
    disabled: z.boolean(),
    totp_enabled: z.boolean(),
    totp_secret: z
      .string()
      .max(256)
      .regex(/^[A-Z2-7]*$/, 'Must be base32')
      .nullable()
      .default(''),
    totp_last_step: z.int().min(0).max(2_147_483_647).nullable().default(null),
    recovery_digests: z
      .array(z.string().regex(/^\d{1,10}:[A-Za-z0-9_-]{43}$/))
      .max(20)
      .default([]),
    created_at: Instant,
  })
  .refine((user) => passwordKeeperOf(user) === 'gateway' || user.password_hash === null, {
    path: ['password_hash'],
    message: 'The directory manages the password',
  })
  .refine(({ is_default_admin, is_admin }) => is_admin || !is_default_admin, {
    path: ['is_admin'],
    message: 'The default administrator must be an administrator',
  })
  .refine((user) => !user.is_default_admin || canAlwaysSignIn(user), {
    path: ['is_default_admin'],
    message: 'The default administrator must be a local, enabled account with a password',
  })
  .refine(({ totp_enabled, totp_secret }) => !totp_enabled || totp_secret !== '', {
    path: ['totp_secret'],
    message: 'Required while the second factor is enabled',
  });
export type BackupUser = z.infer<typeof BackupUser>;

export const BackupApiKey = z.object({
  owner,
  name: z.string().max(100),
  key_prefix: z.string().regex(/^sp_[A-Za-z0-9_-]{8}$/),
  key_digest: digest,
  scopes: z.array(Scope).min(1).max(20),
  expires_at: Instant.nullable(),
  last_used_at: Instant.nullable().default(null),
  created_at: Instant,
});
export type BackupApiKey = z.infer<typeof BackupApiKey>;

/** A host key pinned through quick connect. */
export const BackupQuickKey = z.object({
  owner,
  hostname: z.string().min(1).max(255),
  port: z.int().min(1).max(65_535),
  host_key: hostKey,
  created_at: Instant,
});
export type BackupQuickKey = z.infer<typeof BackupQuickKey>;

/** A host key that is refused, and the hosts that it is refused for. */
export const BackupRevokedKey = z.object({
  names: z.string().min(1).max(MOST_NAMES),
  host_key: hostKey,
  created_at: Instant,
});
export type BackupRevokedKey = z.infer<typeof BackupRevokedKey>;

export const BackupWebhook = z.object({
  name: WebhookInput.shape.name,
  url: WebhookInput.shape.url,
  events: WebhookInput.shape.events,
  enabled: WebhookInput.shape.enabled,
  secret: secret(256),
  previous_secret: secret(256),
  previous_secret_until: Instant.nullable().default(null),
  created_at: Instant,
});
export type BackupWebhook = z.infer<typeof BackupWebhook>;

export const BackupSnippet = z.object({ owner, ...SnippetInput.shape, created_at: Instant });
export type BackupSnippet = z.infer<typeof BackupSnippet>;

export const BackupSetting = z.object({ key: z.string().max(100), value: SettingValue });
export type BackupSetting = z.infer<typeof BackupSetting>;

const { app_name, tagline, colors, colors_dark } = BrandingInput.shape;
export const BackupBranding = z.object({
  app_name: app_name.unwrap(),
  tagline: tagline.unwrap(),
  colors: colors.unwrap(),
  colors_dark: colors_dark.unwrap(),
});
export type BackupBranding = z.infer<typeof BackupBranding>;

export const BackupImage = z.object({
  name: z.enum(BRANDING_IMAGES),
  data: z.base64().min(4).max(2_900_000),
});
export type BackupImage = z.infer<typeof BackupImage>;

/** Head of an audit chain; its entries follow. */
export const BackupChain = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{16,64}$/),
  number: z.int().min(1),
  instance_id: z.string().max(1000),
  started_at: Instant,
  entries: z.int().min(0),
  last_hash: z.string().max(64),
  witness: z.string().max(1_000_000),
});
export type BackupChain = z.infer<typeof BackupChain>;

/** Its position and hash follow from its order after the head. */
export const BackupAuditEntry = z.object({
  user_id: Id.nullable(),
  username: z.string().max(1000),
  action: z.string().max(100),
  detail: z.string().max(20_000),
  ip_address: z.string().max(200),
  created_at: Instant,
  via: z.string().max(20).optional(),
}) satisfies z.ZodType<AuditRecord>;
export type BackupAuditEntry = z.infer<typeof BackupAuditEntry>;

export interface BackupAudit {
  readonly chain: BackupChain;
  readonly entries: readonly BackupAuditEntry[];
}

/** The decrypted content of a bundle. */
export interface BackupContent {
  readonly users: readonly BackupUser[];
  readonly servers: readonly BackupServer[];
  readonly api_keys: readonly BackupApiKey[];
  readonly quick_keys: readonly BackupQuickKey[];
  readonly revoked_keys: readonly BackupRevokedKey[];
  readonly webhooks: readonly BackupWebhook[];
  readonly snippets: readonly BackupSnippet[];
  readonly settings: readonly BackupSetting[];
  readonly branding: BackupBranding | undefined;
  readonly images: readonly BackupImage[];
  readonly audit: readonly BackupAudit[];
  /** Warnings of the exporting gateway. */
  readonly warnings: readonly string[];
}

/** Without depending on a directory. */
export function canAlwaysSignIn(user: Pick<UserRow, 'source' | 'password_hash' | 'disabled'>): boolean {
  return passwordKeeperOf(user) === 'gateway' && user.password_hash !== null && !user.disabled;
}

const MOST_KIB = 262_144; // every sign-in attempt costs this memory

/** RFC 9106 §3.1: argon2 rejects lower values. */
function isBoundedHash(text: string): boolean {
  const [, cost = '', salt = '', hash = ''] = HASH.exec(text) ?? [];
  const [memory = 0, passes = 0, lanes = 0] = (cost.match(/\d+/g) ?? []).map(Number);
  const is_readable = BASE64.test(salt) && BASE64.test(hash);
  const is_possible = is_readable && passes >= 1 && lanes >= 1 && memory >= 8 * lanes;
  return is_possible && memory <= MOST_KIB && passes <= 20 && lanes <= 16;
}

const HASH =
  /^\$argon2id\$v=19\$(m=\d{1,7},t=\d{1,2},p=\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,128})$/;

/** Canonical base64 without padding (RFC 4648 §3.5); argon2 accepts no other. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048])?$/;

/** Warnings about what the exporting gateway left out. */
export const BackupWarning = z.string().max(2000);
