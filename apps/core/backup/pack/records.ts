import { withSalts } from '../../accounts/recovery-codes.ts';
import type { Vault } from '../../crypto/vault.ts';
import { createWarnings } from '../../hosts/imports/warning-list.ts';
import type { BackupCounts } from '../../model/backup/backup.ts';
import type {
  BackupApiKey,
  BackupBranding,
  BackupImage,
  BackupQuickKey,
  BackupRevokedKey,
  BackupServer,
  BackupSetting,
  BackupSnippet,
  BackupUser,
  BackupWebhook,
} from '../../model/backup/content.ts';
import type { BackupRows, StoredUserRow } from '../../ports/repositories/backup.ts';
import type { SealedPlace, SealedValue } from '../../ports/repositories/operations.ts';
import type { Shares } from './shares.ts';

/** One line of a bundle: its kind and content. */
export type BackupRecord =
  | readonly ['user', BackupUser]
  | readonly ['server', BackupServer]
  | readonly ['api_key', BackupApiKey]
  | readonly ['quick_key', BackupQuickKey]
  | readonly ['revoked_key', BackupRevokedKey]
  | readonly ['webhook', Omit<BackupWebhook, 'events'> & { readonly events: readonly string[] }]
  | readonly ['snippet', BackupSnippet]
  | readonly ['setting', BackupSetting]
  | readonly ['branding', BackupBranding]
  | readonly ['image', BackupImage]
  | readonly ['warning', string];

export function countsOf(rows: BackupRows): BackupCounts {
  const { servers, users, api_keys, quick_keys, revoked_keys, webhooks, snippets, settings } = rows;
  return {
    servers: servers.length,
    users: users.length,
    api_keys: api_keys.length,
    quick_keys: quick_keys.length,
    // Versions without revoked keys refuse a bundle that counts them, instead of forgetting the revocations.
    ...(revoked_keys.length > 0 ? { revoked_keys: revoked_keys.length } : {}),
    webhooks: webhooks.length,
    snippets: snippets.length,
    settings: settings.length,
    branding: hasBranding(rows) ? 1 : 0,
  };
}

export function hasBranding({ branding, images }: Pick<BackupRows, 'branding' | 'images'>): boolean {
  return branding.length > 0 || images.length > 0;
}

/** Everything but the audit log, with secrets in clear: only for use inside the encryption. */
export async function* recordsOf(
  { rows, warnings: said }: Shares,
  vault: Vault,
  missing: { unreadable: number },
): AsyncGenerator<BackupRecord, void> {
  const warnings = createWarnings();
  warnings.add(...said);
  /** Null when none of our keys decrypts it. */
  const open: Open = async ({ place, id, sealed }, whose) => {
    if (sealed === null) return '';
    const secret = await vault.open(sealed, place, id).catch(() => null);
    if (secret !== null) return secret;
    missing.unreadable += 1;
    warnings.add(`${whose}: its ${wordOf(place)} could not be read and is not in the bundle`);
    return null;
  };
  yield* userRecords(rows, open);
  yield* serverRecords(rows, open);
  yield* ownedRecords(rows);
  for (const { names, host_key, created_at } of rows.revoked_keys)
    yield ['revoked_key', { names, host_key, created_at }];
  yield* webhookRecords(rows, open);
  for (const { key, value } of rows.settings) yield ['setting', { key, value }];
  for (const { app_name, tagline, colors, colors_dark } of rows.branding) {
    yield ['branding', { app_name, tagline, colors, colors_dark }];
  }
  for (const { name, data } of rows.images) yield ['image', { name, data }];
  for (const warning of warnings.list()) yield ['warning', warning];
}

type Open = (
  value: Omit<SealedValue, 'sealed'> & { readonly sealed: string | null },
  whose: string,
) => Promise<string | null>;

function wordOf(place: SealedPlace): string {
  return place.replace(/^.*\./, '').replaceAll('_', ' ');
}

async function* userRecords({ users }: BackupRows, open: Open): AsyncGenerator<BackupRecord, void> {
  for (const { id, totp_secret_sealed, recovery_digests, ...user } of users) {
    // An unfinished setup is not exported.
    const sealed = user.totp_enabled ? totp_secret_sealed : null;
    const secret = await open({ place: 'users.totp_secret', id, sealed }, `User ${user.username}`);
    const totp_secret = user.totp_enabled && secret === '' ? null : secret; // a restore left recovery codes only
    const digests = user.totp_enabled ? withSalts(id, recovery_digests ?? []) : [];
    yield ['user', { ...user, totp_secret, recovery_digests: digests }];
  }
}

async function* serverRecords({ servers }: BackupRows, open: Open): AsyncGenerator<BackupRecord, void> {
  const places = new Map(servers.map(({ id }, place) => [id, place]));
  for (const row of servers) {
    const { id, jump_via_id, password_sealed, private_key_sealed, passphrase_sealed, ...server } = row;
    const { announced_host_keys, host_key_fingerprint, ...fields } = server;
    const whose = `Server ${row.name}`;
    yield [
      'server',
      {
        ...fields,
        jump: jump_via_id === null ? null : (places.get(jump_via_id) ?? null),
        announced_host_keys: announced_host_keys.map(({ host_key }) => host_key),
        password: await open({ place: 'servers.password', id, sealed: password_sealed }, whose),
        private_key: await open({ place: 'servers.private_key', id, sealed: private_key_sealed }, whose),
        passphrase: await open({ place: 'servers.passphrase', id, sealed: passphrase_sealed }, whose),
      },
    ];
  }
}

function* ownedRecords({ users, api_keys, quick_keys, snippets }: BackupRows): Generator<BackupRecord, void> {
  const names = new Map(users.map(({ id, username }: StoredUserRow) => [id, username]));
  const ownerOf = (user_id: number) => names.get(user_id) ?? ''; // foreign keys guarantee the owner
  for (const { id, user_id, ...key } of api_keys) yield ['api_key', { owner: ownerOf(user_id), ...key }];
  for (const { id, user_id, fingerprint, ...key } of quick_keys) {
    yield ['quick_key', { owner: ownerOf(user_id), ...key }];
  }
  for (const { id, user_id, ...snippet } of snippets) {
    yield ['snippet', { owner: ownerOf(user_id), ...snippet }];
  }
}

async function* webhookRecords({ webhooks }: BackupRows, open: Open): AsyncGenerator<BackupRecord, void> {
  for (const row of webhooks) {
    const { id, name, url, events, enabled, previous_secret_until, created_at } = row;
    const previous = row.previous_secret_sealed;
    const fields = { name, url, events, enabled, previous_secret_until, created_at };
    const whose = `Webhook ${name}`;
    const secret = await open({ place: 'webhooks.secret', id, sealed: row.secret_sealed }, whose);
    const previous_secret = await open({ place: 'webhooks.previous_secret', id, sealed: previous }, whose);
    yield ['webhook', { ...fields, secret, previous_secret }];
  }
}
