import type { z } from 'zod';
import { Fault } from '../../errors.ts';
import { BACKUP_KINDS, type BackupCounts, type BackupKind } from '../../model/backup/backup.ts';
import {
  BackupApiKey,
  BackupAuditEntry,
  BackupBranding,
  BackupChain,
  type BackupContent,
  BackupImage,
  BackupQuickKey,
  BackupRevokedKey,
  BackupServer,
  BackupSetting,
  BackupSnippet,
  BackupUser,
  BackupWarning,
  BackupWebhook,
} from '../../model/backup/content.ts';
import { BRANDING_IMAGES } from '../../model/settings/branding.ts';

const MOST_IN_ARRAY = 1000; // longer than any field; no need to scan further
const MOST_WARNINGS = 1000;
const MOST_CHAINS = 100_000;

/** Parses a decrypted bundle. Each row is validated like a request, and their number must match `counts`. */
export async function readContent(
  lines: AsyncIterable<string>,
  counts: BackupCounts,
): Promise<BackupContent> {
  const { shelves, content, counted } = createShelves(counts);
  for await (const line of lines) {
    const [kind, value] = partsOf(line);
    if (isKeyOf(shelves, kind)) shelves[kind](value, kind); // otherwise written by a later version in this format
  }
  const is_counted = BACKUP_KINDS.every((kind) => counted(kind) === (counts[kind] ?? 0));
  if (!is_counted) throw new Fault('backup_unreadable', 'There is not as much in the bundle as it says');
  return content();
}

function createShelves(counts: BackupCounts) {
  const most = (kind: BackupKind) => counts[kind] ?? 0;
  const rows = {
    users: createShelf(BackupUser, most('users')),
    servers: createShelf(BackupServer, most('servers')),
    api_keys: createShelf(BackupApiKey, most('api_keys')),
    quick_keys: createShelf(BackupQuickKey, most('quick_keys')),
    revoked_keys: createShelf(BackupRevokedKey, most('revoked_keys')),
    webhooks: createShelf(BackupWebhook, most('webhooks')),
    snippets: createShelf(BackupSnippet, most('snippets')),
    settings: createShelf(BackupSetting, most('settings')),
  };
  const branding = createShelf(BackupBranding, most('branding'));
  const images = createShelf(BackupImage, most('branding') * BRANDING_IMAGES.length);
  const warnings = createShelf(BackupWarning, MOST_WARNINGS);
  const chains = createShelf(BackupChain, MOST_CHAINS);
  const entries = createShelf(BackupAuditEntry, most('audit'));
  const starts: number[] = [];
  const entriesOf = (index: number) => entries.rows.slice(starts[index], starts[index + 1]);
  return {
    shelves: {
      user: rows.users.put,
      server: rows.servers.put,
      api_key: rows.api_keys.put,
      quick_key: rows.quick_keys.put,
      revoked_key: rows.revoked_keys.put,
      webhook: rows.webhooks.put,
      snippet: rows.snippets.put,
      setting: rows.settings.put,
      branding: branding.put,
      image: images.put,
      warning: warnings.put,
      audit_chain(value: unknown, kind: string) {
        starts.push(entries.rows.length);
        chains.put(value, kind);
      },
      audit_entry(value: unknown, kind: string) {
        if (starts.length === 0) throw new Fault('backup_unreadable', 'An audit entry has no chain');
        entries.put(value, kind);
      },
    },
    counted(kind: BackupKind): number {
      if (kind === 'audit') return entries.rows.length;
      if (kind === 'branding') return branding.rows.length + images.rows.length > 0 ? 1 : 0;
      return rows[kind].rows.length;
    },
    content: (): BackupContent => ({
      users: rows.users.rows,
      servers: rows.servers.rows,
      api_keys: rows.api_keys.rows,
      quick_keys: rows.quick_keys.rows,
      revoked_keys: rows.revoked_keys.rows,
      webhooks: rows.webhooks.rows,
      snippets: rows.snippets.rows,
      settings: rows.settings.rows,
      branding: branding.rows[0],
      images: images.rows,
      audit: chains.rows.map((chain, index) => ({ chain, entries: entriesOf(index) })),
      warnings: warnings.rows,
    }),
  };
}

function createShelf<Schema extends z.ZodType>(schema: Schema, most: number) {
  const rows: z.output<Schema>[] = [];
  return {
    rows,
    put(value: unknown, kind: string): void {
      const where = `${kind} ${rows.length + 1}`;
      if (rows.length >= most) throw new Fault('backup_unreadable', `${where}: more than the bundle says`);
      if (holdsLongArray(value)) throw new Fault('backup_unreadable', `${where}: too long a list`);
      const { success, data, error } = schema.safeParse(value);
      if (!success) throw new Fault('backup_unreadable', `${where}: ${complaintOf(error)}`);
      rows.push(data);
    },
  };
}

/** The path and what is wrong, never the value. */
function complaintOf({ issues: [issue] }: z.ZodError): string {
  return [...(issue?.path ?? []).map(String), issue?.message ?? 'Invalid'].join(': ');
}

function holdsLongArray(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((one) => Array.isArray(one) && one.length > MOST_IN_ARRAY);
}

function partsOf(line: string): [string, unknown] {
  try {
    const parts: unknown = JSON.parse(line);
    if (Array.isArray(parts) && typeof parts[0] === 'string') return [parts[0], parts[1]];
  } catch {
    // reported below with other invalid lines
  }
  throw new Fault('backup_unreadable');
}

function isKeyOf<T extends object>(object: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(object, key);
}
