import { Fault } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import type { RecordingRow } from '../model/recording.ts';

/** To see those of others is for administrators; their API keys need the scope for it. */
export function seesAllRecordings({ is_admin, scopes }: Caller): boolean {
  return is_admin && scopes.includes('admin');
}

/** Somebody else's is as unknown as one that does not exist. */
export function assertRecording(caller: Caller, row: RecordingRow | undefined): RecordingRow {
  if (!row || !(row.user_id === caller.user_id || seesAllRecordings(caller))) {
    throw new Fault('recording_not_found');
  }
  return row;
}
