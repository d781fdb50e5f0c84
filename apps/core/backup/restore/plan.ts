import type { AuditSeal } from '../../crypto/audit-seal.ts';
import type { Vault } from '../../crypto/vault.ts';
import { createWarnings } from '../../hosts/imports/warning-list.ts';
import { withPhrases } from '../../hosts/imports/warning-phrases.ts';
import { printable } from '../../lib/text/printable.ts';
import type { BackupCounts, BackupKind, BackupReport } from '../../model/backup/backup.ts';
import type { BackupContent } from '../../model/backup/content.ts';
import type { ToldWarnings } from '../../model/warning.ts';
import type { Images, Outbound } from '../../ports/outside.ts';
import type { AuditRepository } from '../../ports/repositories/audit.ts';
import type { BackupRows, RestorePlan, RowChanges } from '../../ports/repositories/backup.ts';
import { hasBranding } from '../pack/records.ts';
import { type CheckedAudit, planAudit } from './audit.ts';
import type { Restoring } from './context.ts';
import { planRevokedKeys } from './revoked-keys.ts';
import { createRestoreSecrets } from './secrets.ts';
import { planServers } from './servers.ts';
import { planBranding, planSettings } from './settings.ts';
import { planUserContent } from './user-content.ts';
import { planUsers, signedOut } from './users.ts';
import { planWebhooks } from './webhooks.ts';

const WARNING_LENGTH = 500;

export interface PlanDeps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
  readonly vault: Vault;
  readonly images: Images;
  readonly outbound: Pick<Outbound, 'objection'>;
  readonly config_locked: boolean;
}

export interface RestoreScene {
  readonly content: BackupContent;
  /** The verified audit log of the bundle. */
  readonly checked: CheckedAudit;
  readonly rows: BackupRows;
}

/** The changes that turn the rows into the content of the bundle, and a report about them. */
export async function planRestore(
  { audit, seal, vault, images, outbound, config_locked }: PlanDeps,
  { content, checked, rows }: RestoreScene,
  options: Pick<Restoring, 'mode' | 'at' | 'caller_id' | 'nextId'>,
): Promise<{ plan: RestorePlan; report: BackupReport }> {
  const warnings = createWarnings();
  warnings.add(...content.warnings.map((warning) => printable(warning, WARNING_LENGTH)));
  const restoring = { ...options, config_locked, secrets: createRestoreSecrets(vault), warnings };
  const users = await planUsers({ wanted: content.users, rows: rows.users }, restoring);
  const plan: RestorePlan = {
    at: options.at,
    users,
    // A merge re-seals secrets but does not change them.
    signed_out: options.mode === 'replace' ? signedOut(rows.users, users) : [],
    servers: await planServers({ wanted: content.servers, rows: rows.servers }, restoring),
    ...(await planUserContent(content, rows, restoring)),
    revoked_keys: await planRevokedKeys(content.revoked_keys, rows),
    webhooks: await planWebhooks(
      { wanted: content.webhooks, rows: rows.webhooks },
      { ...restoring, outbound },
    ),
    settings: planSettings(content, rows, restoring),
    branding: await planBranding(content, rows, { ...restoring, images }),
    audit: await planAudit(checked, rows, { audit, seal, warnings }),
  };
  return { plan, report: { ...talliesOf(content, rows, plan), ...withPhrases(warnings.list()) } };
}

type Tallies = Omit<BackupReport, keyof ToldWarnings>;

function talliesOf(content: BackupContent, rows: BackupRows, plan: RestorePlan): Tallies {
  const tallies: Tally[] = [
    tallyOf('servers', content.servers, plan.servers),
    tallyOf('users', content.users, plan.users),
    tallyOf('api_keys', content.api_keys, plan.api_keys),
    tallyOf('quick_keys', content.quick_keys, plan.quick_keys),
    tallyOf('revoked_keys', content.revoked_keys, plan.revoked_keys),
    tallyOf('webhooks', content.webhooks, plan.webhooks),
    tallyOf('snippets', content.snippets, plan.snippets),
    settingsTally(content, rows, plan),
    brandingTally(content, rows, plan),
    auditTally(content, plan),
  ];
  const of = (field: keyof Tallies): BackupCounts =>
    Object.fromEntries(tallies.map((tally) => [tally.kind, tally[field]]));
  return { created: of('created'), updated: of('updated'), skipped: of('skipped'), removed: of('removed') };
}

type Tally = { readonly kind: BackupKind } & Readonly<Record<keyof Tallies, number>>;

function tallyOf(
  kind: BackupKind,
  wanted: readonly unknown[],
  { added, changed, removed }: RowChanges<unknown, unknown>,
): Tally {
  const [created, updated] = [added.length, changed.length];
  const skipped = Math.max(0, wanted.length - created - updated); // rows that are not in the bundle may be updated too
  return { kind, created, updated, skipped, removed: removed.length };
}

function settingsTally(
  { settings: wanted }: BackupContent,
  rows: BackupRows,
  { settings }: RestorePlan,
): Tally {
  const here = new Set(rows.settings.map(({ key }) => key));
  const updated = settings.saved.filter(({ key }) => here.has(key)).length;
  return {
    kind: 'settings',
    created: settings.saved.length - updated,
    updated,
    skipped: wanted.length - settings.saved.length,
    removed: settings.removed.length,
  };
}

function brandingTally(content: BackupContent, rows: BackupRows, { branding }: RestorePlan): Tally {
  const is_there = content.branding !== undefined || content.images.length > 0;
  const is_here = hasBranding(rows);
  return {
    kind: 'branding',
    created: branding && !is_here ? 1 : 0,
    updated: branding && is_here ? 1 : 0,
    skipped: is_there && !branding ? 1 : 0,
    removed: branding === null ? 1 : 0,
  };
}

/** Counts entries, not chains. */
function auditTally(content: BackupContent, { audit }: RestorePlan): Tally {
  const sum = (chains: readonly { readonly entries: readonly unknown[] }[]) =>
    chains.reduce((total, { entries }) => total + entries.length, 0);
  const created = sum(audit?.chains ?? []);
  return { kind: 'audit', created, updated: 0, skipped: sum(content.audit) - created, removed: 0 };
}
