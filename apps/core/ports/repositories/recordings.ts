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

/** `user_id` undefined: of all users. */
export interface RecordingRepository {
  insert(row: NewRecordingRow): Promise<RecordingRow>;
  /** False when it was closed already, or is gone; `finished` also closes what was taken for interrupted. */
  close(id: number, end: RecordingEnd): Promise<boolean>;
  byId(id: number): Promise<RecordingRow | undefined>;
  /** The newest first. */
  page(
    filter: RecordingFilter & { readonly user_id: number | undefined },
    paging: { limit: number; offset: number },
  ): Promise<RecordingRow[]>;
  count(filter: RecordingFilter & { readonly user_id: number | undefined }): Promise<number>;
  /** False when it was gone. */
  remove(id: number): Promise<boolean>;
  /** Open ones whose instance does not run any more, at most `limit`. */
  orphans(limit: number): Promise<RecordingRow[]>;
}
