import { createPassphraseBox } from '../../crypto/passphrase.ts';
import { Fault } from '../../errors.ts';
import { fromBase64, toBase64 } from '../../lib/bytes/bytes.ts';
import { MOST_BUNDLE_MIB } from '../../limits.ts';
import {
  BACKUP_FORMAT,
  BACKUP_KINDS,
  BACKUP_VERSION,
  BackupBundle,
  type BackupCounts,
  type BackupKdf,
  BackupOutline,
  MOST_OF_KIND,
} from '../../model/backup/backup.ts';
import type { DeriveKey } from '../../ports/outside.ts';
import { fromBase64InChunks, toBase64InChunks } from './base64-chunks.ts';
import { LinesRefused, unzipLines, zipLines } from './zipped-lines.ts';

const MIB = 1024 * 1024;
const MOST_CHARACTERS = MOST_BUNDLE_MIB * MIB - 64 * 1024; // of the data; the rest is for the other fields
const LIMITS = {
  total_bytes: 256 * MIB,
  line_characters: 4 * MIB, // an image, or a server with the longest key and a hundred long paths
};
const SALT_BYTES = 16; // RFC 9106 §3.1
const NONCE_BYTES = 12;

/** Cost of deriving the key. */
export type BackupCost = Pick<BackupKdf, 'memory_kib' | 'iterations' | 'parallelism'>;

/** RFC 9106 §4, second recommended option, but with one lane: libuv provides one thread. */
export const BACKUP_COST: BackupCost = { memory_kib: 65_536, iterations: 3, parallelism: 1 };

export interface BundleInput {
  readonly passphrase: string;
  /** Called once all lines are read. */
  created_at(): string;
  readonly source_version: string;
  readonly counts: BackupCounts;
  /** Called once all lines are read. */
  missing(): Pick<BackupBundle, 'unreadable' | 'left_out'>;
  readonly cost: BackupCost;
}

/** Packs lines of text into an encrypted bundle. */
export async function packBundle(
  deriveKey: DeriveKey,
  lines: AsyncIterable<string>,
  { passphrase, created_at, source_version, counts, missing, cost }: BundleInput,
): Promise<BackupBundle> {
  assertNotTooMany(counts);
  const zipped = await refusing(() => zipLines(lines, LIMITS));
  if ((zipped.length / 3) * 4 > MOST_CHARACTERS) throw new Fault('backup_too_large', tooLarge(counts));
  const around: Around = {
    format: BACKUP_FORMAT,
    version: BACKUP_VERSION,
    created_at: created_at(),
    source_version,
    counts,
    ...missing(),
    kdf: { name: 'argon2id', ...cost, salt: randomBase64(SALT_BYTES) },
    cipher: { name: 'aes-256-gcm', nonce: randomBase64(NONCE_BYTES) },
  };
  const box = await boxOf(deriveKey, passphrase, around);
  const closed = await box.close(zipped, fromBase64(around.cipher.nonce), boundText(around));
  return { ...around, data: await toBase64InChunks(closed) };
}

/** Checks everything but the data before deriving a key, because a file decides how much memory that takes. */
export function readBundle(bundle: unknown): BackupBundle {
  const outline = BackupOutline.safeParse(bundle);
  if (!outline.success) throw new Fault('backup_unreadable');
  if (outline.data.version > BACKUP_VERSION) throw new Fault('backup_too_new');
  const parsed = BackupBundle.safeParse(bundle);
  if (!parsed.success) throw new Fault('backup_unreadable', undefined, { cause: parsed.error });
  if (parsed.data.data.length > MOST_CHARACTERS) throw new Fault('backup_too_large');
  assertNotTooMany(parsed.data.counts);
  return parsed.data;
}

/** The decrypted lines. Reading them may reveal that they are damaged, or too many. */
export async function unpackBundle(
  deriveKey: DeriveKey,
  { data, ...around }: BackupBundle,
  passphrase: string,
): Promise<AsyncGenerator<string, void>> {
  const closed = await fromBase64InChunks(data);
  if (!closed) throw new Fault('backup_unreadable');
  const box = await boxOf(deriveKey, passphrase, around);
  const zipped = await box.open(closed, fromBase64(around.cipher.nonce), boundText(around));
  if (!zipped) throw new Fault('backup_passphrase');
  return unzipLines(zipped, LIMITS);
}

/** Turns `LinesRefused` into a fault. */
export async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof LinesRefused)) throw cause;
    if (cause.reason === 'damaged') throw new Fault('backup_unreadable', undefined, { cause });
    const detail = `The content of the backup is larger than ${LIMITS.total_bytes / MIB} MiB`;
    throw new Fault('backup_too_large', detail, { cause });
  }
}

type Around = Omit<BackupBundle, 'data'>;

function boxOf(deriveKey: DeriveKey, passphrase: string, { kdf }: Around) {
  const { memory_kib, iterations, parallelism } = kdf;
  return createPassphraseBox(deriveKey, passphrase, {
    salt: fromBase64(kdf.salt),
    memory_kib,
    iterations,
    parallelism,
  });
}

/** The order is part of the format. */
function boundText(around: Around): string {
  const { format, version, created_at, source_version, counts, unreadable, left_out, kdf, cipher } = around;
  const { memory_kib, iterations, parallelism, salt } = kdf;
  return JSON.stringify({
    format,
    version,
    created_at,
    source_version,
    counts: Object.fromEntries(BACKUP_KINDS.map((kind) => [kind, counts[kind]])),
    unreadable,
    left_out,
    kdf: { name: kdf.name, memory_kib, iterations, parallelism, salt },
    cipher: { name: cipher.name, nonce: cipher.nonce },
  });
}

function tooLarge({ audit = 0 }: BackupCounts): string {
  const way_out = audit > 0 ? '; leave out the audit log' : '';
  return `The backup is too large: a bundle can have at most ${MOST_BUNDLE_MIB} MiB${way_out}`;
}

function assertNotTooMany(counts: BackupCounts): void {
  const kind = BACKUP_KINDS.find((one) => (counts[one] ?? 0) > MOST_OF_KIND[one]);
  if (kind)
    throw new Fault('backup_too_large', `The backup is too large: more than ${MOST_OF_KIND[kind]} ${kind}`);
}

function randomBase64(length: number): string {
  return toBase64(crypto.getRandomValues(new Uint8Array(length)));
}
