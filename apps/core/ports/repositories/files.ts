import type { UploadRow } from '../../model/upload.ts';

/** Files on their way onto hosts. */
export interface UploadRepository {
  /** `server_not_found` when the server is gone. */
  insert(row: UploadRow): Promise<void>;
  /** Also an expired one; not one that is being cleaned up. */
  find(id: string): Promise<UploadRow | undefined>;
  /** Those of one user that can be resumed and have not expired, oldest first. */
  listOf(user_id: number, server_id: number, now: string): Promise<UploadRow[]>;
  /** How many of one user can be resumed and have not expired. */
  countOf(user_id: number, now: string): Promise<number>;
  /** False when it is gone or being cleaned up. */
  extend(id: string, expires_at: string): Promise<boolean>;
  remove(id: string): Promise<void>;
  /**
   * Expired ones, of one server or of all, at most `limit`; from now on they are being cleaned up, and until `again_at`
   * nobody else takes them.
   */
  takeExpired(input: {
    now: string;
    again_at: string;
    limit: number;
    server_id?: number | undefined;
  }): Promise<UploadRow[]>;
}

/** Who may write just now, among all instances. All times are the database's own. */
export interface HoldRepository {
  /** Takes the key if it is free, expired or held by this holder already; whether it did. */
  take(key: string, holder: string, ttl_ms: number): Promise<boolean>;
  /** If it is this holder's. */
  release(key: string, holder: string): Promise<void>;
  removeExpired(): Promise<void>;
}
