import { Fault } from '../errors.ts';
import type { OtherInstances } from '../instances/others.ts';
import type { RecordingRow } from '../model/recording.ts';
import type { InstanceRow } from '../model/terminal.ts';
import type { Casts } from '../ports/casts.ts';
import type { RecordingsDirectory } from './directory.ts';

/** The instance that can read and delete the file of a recording. `away`: no such instance runs. */
export type RecordingHome =
  | { readonly kind: 'here' | 'away' }
  | ({ readonly kind: 'elsewhere' } & Pick<InstanceRow, 'url' | 'run_id'>);

export interface RecordingHomes {
  of(row: Pick<RecordingRow, 'run_id' | 'directory_id' | 'file_path'>): Promise<RecordingHome>;
}

interface Deps {
  readonly others: OtherInstances;
  readonly casts: Pick<Casts, 'size' | 'store'>;
  readonly directory: RecordingsDirectory;
  readonly run_id: string;
}

export function createRecordingHomes({ others, casts, directory, run_id: own_run_id }: Deps): RecordingHomes {
  /** Its files may have been moved here without the name of their directory. File names are random. */
  async function isFileHere(file_path: string): Promise<boolean> {
    try {
      await casts.size(file_path);
      return true;
    } catch (error) {
      if (error instanceof Fault && error.code === 'recording_file_missing') return false;
      throw error;
    }
  }

  return {
    async of({ run_id, directory_id, file_path }) {
      if (directory_id === null || run_id === own_run_id) return { kind: 'here' };
      if (directory_id === casts.store?.id) return { kind: 'here' };
      if (directory_id === (await directory.find({ create: false }))) return { kind: 'here' };
      const running = await others.list();
      const home =
        running.find((one) => one.run_id === run_id) ?? // it may not have announced a new directory yet
        running.find((one) => one.recordings_directory_id === directory_id);
      if (home) return { kind: 'elsewhere', url: home.url, run_id: home.run_id };
      return { kind: (await isFileHere(file_path)) ? 'here' : 'away' };
    },
  };
}

export function homeUnreachable(): Fault {
  return new Fault('instance_unreachable', 'The instance that has this recording does not respond');
}
