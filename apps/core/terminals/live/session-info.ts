import type { Credential } from '../../model/caller.ts';

export interface SessionOwner {
  readonly user_id: number;
  readonly username: string;
  /** The credential that opened or last resumed the session; the session ends with it. */
  readonly credential: Credential;
}

export interface SessionServer {
  /** Null for quick connect. */
  readonly id: number | null;
  readonly name: string;
  /** Revision of the server record when a transfer began; an edit of the record ends the transfer. */
  readonly revision?: string;
}

export interface LiveSessionInfo {
  readonly id: string;
  readonly owner: SessionOwner;
  readonly server: SessionServer;
}

/** Read each time they are needed: the settings may change while the session runs. */
export interface SessionLimits {
  /** How long the shell keeps running after the owner's socket drops. */
  readonly resume_ms: number;
  /** Without input and output; undefined for no limit. */
  readonly idle_ms: number | undefined;
}
