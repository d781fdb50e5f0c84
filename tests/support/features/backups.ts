import { getTableColumns } from 'drizzle-orm';
import { packBundle } from '#core/backup/pack/bundle.ts';
import type {
  BackupBundle,
  BackupCounts,
  BackupKind,
  BackupReport,
  BackupRestore,
} from '#core/model/backup/backup.ts';
import type { Store } from '#db/store.ts';
import { deriveKey } from '#server/adapters/derive-key.ts';
import type { Actor, Answer } from '../gateway/gateway.ts';
import { assertPhrased } from './imports.ts';

export const PASSPHRASE = 'a passphrase of the tests';

export async function exported(actor: Actor, include_audit = false): Promise<BackupBundle> {
  const input = { passphrase: PASSPHRASE, include_audit };
  const { status, body } = await actor.call<BackupBundle>('POST', '/api/backup/export', input);
  if (status !== 200) throw new Error(`No bundle: ${status} ${JSON.stringify(body)}`);
  return body;
}

export function restoring(
  actor: Actor,
  bundle: unknown,
  input: Partial<BackupRestore> = {},
): Promise<Answer<BackupReport & { readonly code: string; readonly detail: string }>> {
  const whole = { bundle, passphrase: PASSPHRASE, mode: 'merge', ...input };
  return actor.call('POST', '/api/backup/restore', whole);
}

export async function restored(
  actor: Actor,
  bundle: unknown,
  input: Partial<BackupRestore> = {},
): Promise<BackupReport> {
  const { status, body } = await restoring(actor, bundle, input);
  if (status !== 200) throw new Error(`Not restored: ${status} ${JSON.stringify(body)}`);
  assertPhrased(body);
  return body;
}

const RUNNING = ['sessions', 'rate_limits', 'instances', 'monitor_lease', 'holds', 'samples'] as const;

/** Every row of every table, except those that a running gateway writes by itself. */
export async function dump({ db, tables }: Store): Promise<Record<string, unknown[]>> {
  const kept = Object.entries(tables).filter(([name]) => !RUNNING.some((one) => one === name));
  const rows = kept.map(
    async ([name, table]): Promise<[string, unknown[]]> => [
      name,
      (await db.select(getTableColumns(table)).from(table)).map((row) => JSON.stringify(row)).sort(),
    ],
  );
  return Object.fromEntries(await Promise.all(rows));
}

type Line = readonly [kind: string, value: unknown];

const COUNTED: Readonly<Record<string, BackupKind>> = {
  server: 'servers',
  user: 'users',
  api_key: 'api_keys',
  quick_key: 'quick_keys',
  revoked_key: 'revoked_keys',
  webhook: 'webhooks',
  snippet: 'snippets',
  setting: 'settings',
  audit_entry: 'audit',
};

/** A sealed bundle with any content; `texts` are lines that are not rows. */
export function forged(
  rows: readonly Line[],
  { texts = [], counts = countsOf(rows) }: { texts?: readonly string[]; counts?: BackupCounts } = {},
): Promise<BackupBundle> {
  async function* lines(): AsyncGenerator<string, void> {
    for (const row of rows) yield JSON.stringify(row);
    yield* texts;
  }
  return packBundle(deriveKey, lines(), {
    passphrase: PASSPHRASE,
    created_at: () => AT,
    source_version: '0.6.0',
    counts,
    missing: () => ({ unreadable: 0, left_out: 0 }),
    cost: { memory_kib: 8192, iterations: 1, parallelism: 1 },
  });
}

function countsOf(rows: readonly Line[]): BackupCounts {
  const counts: Partial<Record<BackupKind, number>> = {};
  for (const [kind] of rows) {
    const counted = COUNTED[kind];
    if (counted) counts[counted] = (counts[counted] ?? 0) + 1;
    if (kind === 'branding' || kind === 'image') counts.branding = 1;
  }
  return counts;
}

const AT = '2026-01-02T03:04:05.678Z';
const HOST_KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const HASH = '$argon2id$v=19$m=256,t=1,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';

export const backupRows = {
  user: (change: object = {}): Line => [
    'user',
    {
      username: 'ann',
      is_admin: false,
      must_change_password: false,
      allowed_groups: [],
      source: 'local',
      password_hash: HASH,
      disabled: false,
      totp_enabled: false,
      created_at: AT,
      ...change,
    },
  ],
  admin: (change: object = {}): Line =>
    backupRows.user({ username: 'admin', is_admin: true, is_default_admin: true, ...change }),
  server: (change: object = {}): Line => [
    'server',
    { name: 'box', hostname: 'box.test', username: 'root', created_at: AT, updated_at: AT, ...change },
  ],
  api_key: (change: object = {}): Line => [
    'api_key',
    {
      owner: 'ann',
      name: 'ci',
      key_prefix: 'sp_abcdefgh',
      key_digest: 'd'.repeat(43),
      scopes: ['read'],
      expires_at: null,
      created_at: AT,
      ...change,
    },
  ],
  quick_key: (change: object = {}): Line => [
    'quick_key',
    { owner: 'ann', hostname: 'box.test', port: 22, host_key: HOST_KEY, created_at: AT, ...change },
  ],
  webhook: (change: object = {}): Line => [
    'webhook',
    {
      name: 'hook',
      url: 'https://example.com/hook',
      events: ['*'],
      enabled: true,
      created_at: AT,
      ...change,
    },
  ],
  snippet: (change: object = {}): Line => [
    'snippet',
    { owner: 'ann', name: 'Look', command: 'ls', created_at: AT, ...change },
  ],
  setting: (key: string, value: unknown): Line => ['setting', { key, value }],
} as const;
