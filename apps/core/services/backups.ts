import { Fault } from '../errors.ts';
import type { BackupBundle, BackupExport, BackupReport, BackupRestore } from '../model/backup.ts';
import type { Caller } from '../model/caller.ts';
import { assertAdmin } from '../policy/account.ts';

/** All that makes this gateway, in one encrypted bundle and back. */
export interface Backups {
  export(caller: Caller, input: BackupExport): Promise<BackupBundle>;
  restore(caller: Caller, input: BackupRestore): Promise<BackupReport>;
}

export function createBackups(): Backups {
  const not = async (caller: Caller): Promise<never> => {
    assertAdmin(caller);
    throw new Fault('backup_unreadable');
  };
  return { export: not, restore: not };
}
