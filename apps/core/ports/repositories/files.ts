import type { UploadRow } from '../../model/files/upload.ts';

/** Resumable uploads. */
export interface UploadRepository {
  /** Throws `server_not_found` when the server is gone. */
  insert(row: UploadRow): Promise<void>;
  /** Includes expired uploads, but not those being cleaned up. */
  find(id: string): Promise<UploadRow | undefined>;
  /** Resumable, unexpired uploads of one user, oldest first. */
  listOf(user_id: number, server_id: number, now: string): Promise<UploadRow[]>;
  /** Number of resumable, unexpired uploads of one user. */
  countOf(user_id: number, now: string): Promise<number>;
  /** Number of part files on one server, of all users. */
  countAt(server_id: number): Promise<number>;
  /** False when it is gone or being cleaned up. */
  extend(id: string, expires_at: string): Promise<boolean>;
  /** Also a finished one. */
  remove(id: string): Promise<void>;
  /** It is complete: keeps it for answers until `kept_until`. */
  finish(id: string, kept_until: string): Promise<void>;
  /** One that is kept for answers. */
  finished(id: string, now: string): Promise<UploadRow | undefined>;
  removeFinished(now: string): Promise<void>;
  /**
   * Marks at most `limit` expired uploads, of one server or of all, as being cleaned up and returns them. Nobody else
   * takes them before `again_at`.
   */
  takeExpired(input: {
    now: string;
    again_at: string;
    limit: number;
    server_id?: number | undefined;
  }): Promise<UploadRow[]>;
}

/** Locks across all instances. All times come from the database's clock. */
export interface HoldRepository {
  /** Takes or renews the key if it is free, expired, or held by this holder and not claimed; false otherwise. */
  take(key: string, holder: string, ttl_ms: number): Promise<boolean>;
  /** The present holder of the key can no longer renew it. */
  claim(key: string): Promise<void>;
  /** Does nothing when another holder has the key. */
  release(key: string, holder: string): Promise<void>;
  removeExpired(): Promise<void>;
}
