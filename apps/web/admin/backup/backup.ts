import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { TextKey } from '../../i18n/languages.ts';

export type BackupReport = Schemas['BackupReport'];
export type BackupMode = Schemas['BackupRestore']['mode'];

export const BACKUP_MODES = ['merge', 'replace'] as const satisfies readonly BackupMode[];
export const MAX_BUNDLE_MIB = 32;
const AROUND_BYTES = 8 * 1024; // the JSON around the bundle in a request
export const MAX_BUNDLE_BYTES = MAX_BUNDLE_MIB * 1024 * 1024 - AROUND_BYTES;
export const MIN_PASSPHRASE_LENGTH = 12;
export const MAX_PASSPHRASE_LENGTH = 1024;

/** The number of items of one kind. */
export interface Counted {
  readonly kind: string;
  readonly count: number;
}

/** What a backup file reveals without its passphrase. */
export type FoundBundle =
  | { readonly kind: 'none' }
  | { readonly kind: 'bad'; readonly why: TextKey }
  | {
      readonly kind: 'bundle';
      readonly bundle: object;
      readonly created_at: string;
      readonly source_version: string;
      readonly counts: readonly Counted[];
    };

export const NO_BUNDLE: FoundBundle = { kind: 'none' };

/** Recognizes a wrong file before sending it; the gateway validates the bundle. */
export function bundleOf(text: string): FoundBundle {
  const bundle = parse(text);
  if (!isRecord(bundle) || bundle['format'] !== 'sallyport-backup')
    return { kind: 'bad', why: 'backup_no_bundle' };
  const { created_at, source_version, counts } = bundle;
  if (typeof created_at !== 'string' || Number.isNaN(Date.parse(created_at)))
    return { kind: 'bad', why: 'backup_damaged' };
  return {
    kind: 'bundle',
    bundle,
    created_at,
    source_version: typeof source_version === 'string' ? source_version : '',
    counts: isRecord(counts) ? countsOf(counts) : [],
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not a bundle
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function countsOf(counts: Readonly<Record<string, unknown>>): Counted[] {
  return Object.entries(counts).flatMap(([kind, count]) =>
    typeof count === 'number' && count > 0 ? [{ kind, count }] : [],
  );
}

export type Strength = 'short' | 'weak' | 'fair' | 'strong';

const FEW_CHARACTERS = 6;
const LONG = 20;

/** A rough hint: length counts more than variety, but repeating a few characters counts as weak. */
export function strengthOf(passphrase: string): Strength {
  if (passphrase.length < MIN_PASSPHRASE_LENGTH) return 'short';
  if (new Set(passphrase.toLowerCase()).size < FEW_CHARACTERS) return 'weak';
  return passphrase.length >= LONG ? 'strong' : 'fair';
}

export interface ExportInput {
  readonly passphrase: string;
  readonly include_audit: boolean;
}

export async function exportBackup(
  client: GatewayClient,
  body: ExportInput,
): Promise<{ content: Blob; unreadable: number }> {
  const bundle = await take(client.http.POST('/api/backup/export', { body }));
  const content = new Blob([JSON.stringify(bundle)], { type: 'application/json' });
  return { content, unreadable: bundle.unreadable };
}

export interface RestoreInput {
  readonly bundle: object;
  readonly passphrase: string;
  readonly mode: BackupMode;
}

/** A dry run. */
export function planRestore(client: GatewayClient, input: RestoreInput): Promise<BackupReport> {
  return take(client.http.POST('/api/backup/restore', { body: { ...input, dry_run: true } }));
}

export function restoreBackup(client: GatewayClient, input: RestoreInput): Promise<BackupReport> {
  return take(client.http.POST('/api/backup/restore', { body: { ...input, dry_run: false } }));
}

export const DEEDS = ['created', 'updated', 'removed', 'skipped'] as const;
export type Deed = (typeof DEEDS)[number];

export interface ReportRow extends Readonly<Record<Deed, number>> {
  readonly kind: string;
}

/** One row for each kind in the report, without rows of zeros. */
export function reportRows(report: BackupReport): ReportRow[] {
  const kinds = [...new Set(DEEDS.flatMap((deed) => Object.keys(report[deed])))];
  const rows = kinds.map((kind) => ({
    kind,
    created: numberIn(report.created, kind),
    updated: numberIn(report.updated, kind),
    removed: numberIn(report.removed, kind),
    skipped: numberIn(report.skipped, kind),
  }));
  return rows.filter((row) => DEEDS.some((deed) => row[deed] > 0));
}

function numberIn(counts: Readonly<Record<string, number | undefined>>, kind: string): number {
  return counts[kind] ?? 0;
}

/** The restore would not create, change or remove anything. */
export function isIdle(report: BackupReport): boolean {
  return reportRows(report).every(({ created, updated, removed }) => created + updated + removed === 0);
}
