import type { ApiKeyRow } from '../../model/api-key.ts';
import type { AuditChainRow, AuditRollRow, NewAuditRow } from '../../model/audit.ts';
import type { BrandingImageRow, BrandingRow } from '../../model/branding.ts';
import type { ServerRow } from '../../model/server.ts';
import type { SettingKey } from '../../model/setting.ts';
import type { SnippetRow } from '../../model/snippet.ts';
import type { QuickHostKeyRow } from '../../model/terminal.ts';
import type { UserRow } from '../../model/user.ts';
import type { WebhookRow } from '../../model/webhook.ts';
import type { SettingRow } from './settings.ts';

/** A user with all that belongs to the account. */
export interface StoredUserRow extends UserRow {
  readonly directory_id: string | null;
  readonly totp_secret_sealed: string | null;
  readonly totp_last_step: number | null;
  readonly recovery_digests: readonly string[] | null;
}

/** All that makes a gateway, each by id. */
export interface BackupRows {
  readonly users: readonly StoredUserRow[];
  readonly servers: readonly ServerRow[];
  readonly api_keys: readonly ApiKeyRow[];
  readonly quick_keys: readonly QuickHostKeyRow[];
  readonly webhooks: readonly WebhookRow[];
  readonly snippets: readonly SnippetRow[];
  readonly settings: readonly SettingRow[];
  /** One, or none. */
  readonly branding: readonly BrandingRow[];
  readonly images: readonly BrandingImageRow[];
  /** By number. */
  readonly chains: readonly AuditChainRow[];
  readonly roll: AuditRollRow | undefined;
}

/** What becomes of the rows of one table. */
export interface RowChanges<New, Row> {
  readonly added: readonly New[];
  /** Whole rows, by id. */
  readonly changed: readonly Row[];
  readonly removed: readonly number[];
}

type Unplaced<Row> = Omit<Row, 'id'>;

/** The jump host of a row may be one that is only being added: its place among `added`. */
interface AwaitedJump {
  readonly jump_via_added: number | undefined;
}

/** Whose it is may only be added with it, so the name tells. */
export interface NamedOwner {
  readonly owner_key: string;
}

export type Owned<Row> = Omit<Row, 'user_id'> & NamedOwner;

export interface RestorePlan {
  readonly at: string;
  readonly users: RowChanges<Unplaced<StoredUserRow>, StoredUserRow>;
  /** Users whose sign-ins end. */
  readonly signed_out: readonly number[];
  readonly servers: RowChanges<Unplaced<ServerRow> & AwaitedJump, ServerRow & AwaitedJump>;
  readonly api_keys: RowChanges<Unplaced<Owned<ApiKeyRow>>, Owned<ApiKeyRow>>;
  readonly quick_keys: RowChanges<Unplaced<Owned<QuickHostKeyRow>>, Owned<QuickHostKeyRow>>;
  readonly snippets: RowChanges<Unplaced<Owned<SnippetRow>>, Owned<SnippetRow>>;
  readonly webhooks: RowChanges<Unplaced<WebhookRow>, WebhookRow>;
  readonly settings: { readonly saved: readonly SettingRow[]; readonly removed: readonly SettingKey[] };
  /** Undefined: stays; null: as it comes with the program. */
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
  /** All of one moment. */
  read(): Promise<BackupRows>;
  /** Carried out whole or not at all; `backup_overtaken` when what is there is not what was read any more. */
  restore(plan: RestorePlan, read: BackupRows): Promise<void>;
}
