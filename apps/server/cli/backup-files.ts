import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { Fault } from '#core/errors.ts';
import { printable } from '#core/lib/text/printable.ts';
import { MOST_BUNDLE_MIB } from '#core/limits.ts';
import { BackupCounts, BackupKind, type BackupMode, type BackupReport } from '#core/model/backup/backup.ts';
import type { Config } from '../config/config.ts';
import { exportBackup, restoreBackup } from './backup.ts';
import { assertWritable, CommandRefused, complain, print, reasonOf, writePrivately } from './output.ts';
import { knownPassphrase, newPassphrase } from './passphrase.ts';

const STDIO = '-'; // standard output or input
const LONGEST_WARNING = 500;

export interface ExportOptions {
  readonly output: string | undefined;
  readonly force: boolean;
  readonly allow_unreadable: boolean;
  readonly include_audit: boolean;
  readonly passphrase_file: string | undefined;
}

/** Returns the exit code. */
export async function exportToFile(config: Config, options: ExportOptions): Promise<number> {
  const { output = defaultName(), force, include_audit, passphrase_file: file } = options;
  if (output !== STDIO) await assertWritable(output, force);
  const passphrase = await newPassphrase({ config, file });
  const bundle = await exportBackup(config, passphrase, { include_audit });
  const { counts, unreadable, left_out } = outlineOf(bundle);
  const is_incomplete = unreadable > 0 && !options.allow_unreadable;
  if (unreadable > 0) complain(`${unreadable} stored secrets could not be decrypted ${WITHOUT}`);
  if (left_out > 0)
    complain(`${left_out} snippets and pinned keys exceed the limit of one user and were left out`);
  if (is_incomplete && force)
    throw new CommandRefused(`${output} was not replaced. To replace it anyway, add --allow-unreadable`);
  if (output === STDIO) await print(bundle);
  else {
    await writePrivately(output, bundle, force);
    await print(`Written to ${output}: ${described(counts)}`);
  }
  return is_incomplete ? INCOMPLETE : 0;
}

const INCOMPLETE = 4; // exit code
const WITHOUT =
  'with the secret key of this gateway and are NOT in the bundle: after a restore they are missing';

function defaultName(): string {
  return `sallyport-backup-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}Z.json`;
}

const Outline = z.object({ counts: BackupCounts, unreadable: z.int(), left_out: z.int() });

function outlineOf(bundle: string): z.infer<typeof Outline> {
  return Outline.parse(JSON.parse(bundle));
}

export interface RestoreOptions {
  readonly mode: BackupMode;
  readonly dry_run: boolean;
  readonly passphrase_file: string | undefined;
}

export async function restoreFromFile(config: Config, file: string, options: RestoreOptions): Promise<void> {
  const { mode, dry_run, passphrase_file } = options;
  const bundle = await readBundle(file);
  const passphrase = await knownPassphrase({ config, file: passphrase_file });
  const report = await restoreBackup(config, bundle, { passphrase, mode, dry_run });
  for (const warning of report.warnings) complain(`Warning: ${printable(warning, LONGEST_WARNING)}`);
  await print(describeReport(report, dry_run));
}

/** Stops reading at the size limit of a bundle. */
async function readBundle(file: string): Promise<string> {
  try {
    if (file !== STDIO && (await stat(file)).isDirectory())
      throw new CommandRefused(`${file}: is a directory`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of file === STDIO ? process.stdin : createReadStream(file)) {
      size += chunk.length;
      if (size > MOST_BUNDLE_MIB * 1024 * 1024) throw new Fault('backup_too_large');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    if (error instanceof Fault || error instanceof CommandRefused) throw error;
    throw new CommandRefused(`${file}: ${reasonOf(error)}`, { cause: error });
  }
}

function describeReport({ created, updated, removed, skipped }: BackupReport, dry_run: boolean): string {
  const outcomes = { created, updated, removed, skipped };
  const lines = Object.entries(outcomes)
    .filter(([, counts]) => Object.values(counts).some((count) => count > 0))
    .map(([outcome, counts]) => `  ${outcome}: ${described(counts)}`);
  const heading = dry_run ? 'Dry run, nothing was changed. A restore would do this:' : 'Restored:';
  return lines.length === 0 ? `${heading} nothing` : [heading, ...lines].join('\n');
}

function described(counts: BackupCounts): string {
  const parts = BackupKind.options.flatMap((kind) =>
    counts[kind] ? `${kind.replace('_', ' ')} ${counts[kind]}` : [],
  );
  return parts.join(', ') || 'nothing';
}
