import type {
  NewRecordingRow,
  RecordingFilter,
  RecordingRow,
  RecordingStatus,
} from '../../model/recording.ts';

export interface RecordingEnd {
  readonly ended_at: string;
  readonly duration_s: number;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly status: Exclude<RecordingStatus, 'recording'>;
}

export interface RecordingPaging {
  readonly limit: number;
  readonly offset: number;
  readonly before?: Pick<RecordingRow, 'id' | 'started_at'> | undefined;
}

/** An undefined `user_id` means all users. */
export interface RecordingRepository {
  insert(row: NewRecordingRow): Promise<RecordingRow>;
  /** False when already closed or gone; `finished` also overrides `interrupted`. */
  close(id: number, end: RecordingEnd): Promise<boolean>;
  byId(id: number): Promise<RecordingRow | undefined>;
  /** The instance with this run id continues it, also when it was presumed interrupted. Undefined when it is gone or finished. */
  adopt(id: number, run_id: string): Promise<RecordingRow | undefined>;
  /** Newest first; `before` leaves out that recording and those that come before it in this order. */
  page(
    filter: RecordingFilter & { readonly user_id: number | undefined },
    paging: RecordingPaging,
  ): Promise<RecordingRow[]>;
  count(filter: RecordingFilter & { readonly user_id: number | undefined }): Promise<number>;
  /** False when it does not exist. */
  remove(id: number): Promise<boolean>;
  /** Open recordings in this directory, or in an unknown one, whose instance no longer runs; at most `limit`. */
  orphans(limit: number, directory_id: string | null): Promise<RecordingRow[]>;
  /** Those that are over, the oldest first; `ended_before` leaves out those that ended later. */
  oldest(limit: number, ended_before?: string): Promise<RecordingRow[]>;
  /** Total size of the recordings that are not hidden. */
  totalBytes(): Promise<number>;
  /** Those in this directory that are over, of this run or of one that has ended, by id; at most `limit`. */
  toStore(
    limit: number,
    of: { readonly directory_id: string; readonly run_id: string; readonly after_id: number },
  ): Promise<RecordingRow[]>;
  /** Its file is there now. False when it does not exist. */
  moveTo(id: number, directory_id: string): Promise<boolean>;
  /** Hides it until `remove`. False for a recording in progress. */
  removeLater(id: number, removed_at: string): Promise<boolean>;
  /** Those hidden by `removeLater`; at most `limit`. */
  toRemove(limit: number, directory_id: string): Promise<RecordingRow[]>;
}
