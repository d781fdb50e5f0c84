import { Fault } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { RecordingRow } from '../model/recording.ts';
import { assertUnbounded } from './embed.ts';

/** Administrators see everybody's recordings; their API keys need the admin scope. */
export function seesAllRecordings({ is_admin, scopes }: Caller): boolean {
  return is_admin && scopes.includes('admin');
}

/** Other users' recordings look like missing ones. */
export function assertRecording(caller: Caller, row: RecordingRow | undefined): RecordingRow {
  assertUnbounded(caller);
  if (!row || !(row.user_id === caller.user_id || seesAllRecordings(caller))) {
    throw new Fault('recording_not_found');
  }
  return row;
}
