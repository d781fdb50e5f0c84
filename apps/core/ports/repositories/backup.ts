import type { ApiKeyRow } from '../../model/accounts/api-key.ts';
import type { UserRow } from '../../model/accounts/user.ts';
import type { AuditChainRow, AuditRollRow, NewAuditRow } from '../../model/audit/audit.ts';
import type { RevokedHostKeyRow } from '../../model/hosts/revoked-host-key.ts';
import type { ServerRow } from '../../model/hosts/server.ts';
import type { BrandingImageRow, BrandingRow } from '../../model/settings/branding.ts';
import type { SettingKey } from '../../model/settings/setting.ts';
import type { SnippetRow } from '../../model/snippet.ts';
import type { QuickHostKeyRow } from '../../model/terminal.ts';
import type { WebhookRow } from '../../model/webhooks/webhook.ts';
import type { SettingRow } from './settings.ts';

/** A user with all account data. */
export interface StoredUserRow extends UserRow {
  readonly directory_id: string | null;
  readonly totp_secret_sealed: string | null;
  readonly totp_last_step: number | null;
  readonly recovery_digests: readonly string[] | null;
}

/** The complete content of a gateway, ordered by id. */
export interface BackupRows {
  readonly users: readonly StoredUserRow[];
  readonly servers: readonly ServerRow[];
  readonly api_keys: readonly ApiKeyRow[];
  readonly quick_keys: readonly QuickHostKeyRow[];
  readonly revoked_keys: readonly RevokedHostKeyRow[];
  readonly webhooks: readonly WebhookRow[];
  readonly snippets: readonly SnippetRow[];
  readonly settings: readonly SettingRow[];
  /** At most one row. */
  readonly branding: readonly BrandingRow[];
  readonly images: readonly BrandingImageRow[];
  /** Ordered by number. */
  readonly chains: readonly AuditChainRow[];
  readonly roll: AuditRollRow | undefined;
}

/** The tables whose new rows need their id before they are stored. */
export type SealedTable = 'users' | 'servers' | 'webhooks';

/** Changes to the rows of one table. */
export interface RowChanges<New, Row> {
  readonly added: readonly New[];
  /** Whole rows, by id. */
  readonly changed: readonly Row[];
  readonly removed: readonly number[];
}

type Unplaced<Row> = Omit<Row, 'id'>;

/** Index in `added` of a jump host that is new as well. */
interface AwaitedJump {
  readonly jump_via_added: number | undefined;
}

/** The owner may be new as well, so it is referenced by name. */
export interface NamedOwner {
  readonly owner_key: string;
}

export type Owned<Row> = Omit<Row, 'user_id'> & NamedOwner;

export interface RestorePlan {
  readonly at: string;
  readonly users: RowChanges<StoredUserRow, StoredUserRow>;
  /** Users whose sign-ins end. */
  readonly signed_out: readonly number[];
  readonly servers: RowChanges<ServerRow & AwaitedJump, ServerRow & AwaitedJump>;
  readonly api_keys: RowChanges<Unplaced<Owned<ApiKeyRow>>, Owned<ApiKeyRow>>;
  readonly quick_keys: RowChanges<Unplaced<Owned<QuickHostKeyRow>>, Owned<QuickHostKeyRow>>;
  readonly revoked_keys: RowChanges<Unplaced<RevokedHostKeyRow>, RevokedHostKeyRow>;
  readonly snippets: RowChanges<Unplaced<Owned<SnippetRow>>, Owned<SnippetRow>>;
  readonly webhooks: RowChanges<WebhookRow, WebhookRow>;
  readonly settings: { readonly saved: readonly SettingRow[]; readonly removed: readonly SettingKey[] };
  /** Undefined leaves it unchanged; null restores the default. */
  readonly branding:
    | { readonly row: BrandingRow; readonly images: readonly BrandingImageRow[] }
    | null
    | undefined;
  readonly audit: RestoredAudit | undefined;
}

export interface RestoredAudit {
  readonly chains: readonly { readonly head: AuditChainRow; readonly entries: readonly NewAuditRow[] }[];
  readonly roll: AuditRollRow;
}

export interface BackupRepository {
  /** Reads a consistent snapshot. */
  read(): Promise<BackupRows>;
  /** Ids for new rows, which no other row gets. */
  reserveIds(table: SealedTable, count: number): Promise<number[]>;
  /** Applies all or nothing. Throws `backup_overtaken` when the rows have changed since `read`. */
  restore(plan: RestorePlan, read: BackupRows): Promise<void>;
}
