import type { Warnings } from '../../hosts/imports/warning-list.ts';
import type { BackupMode } from '../../model/backup/backup.ts';
import type { SealedTable } from '../../ports/repositories/backup.ts';
import type { RestoreSecrets } from './secrets.ts';

/** What every part of a restore plan needs to know. */
export interface Restoring {
  readonly mode: BackupMode;
  readonly at: string;
  /** The account that the bundle cannot lock out; undefined on the command line. */
  readonly caller_id: number | undefined;
  readonly config_locked: boolean;
  readonly secrets: RestoreSecrets;
  /** The id that a new row will have, which its secrets name. */
  readonly nextId: (table: SealedTable) => Promise<number>;
  readonly warnings: Warnings;
}
