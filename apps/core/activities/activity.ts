import type { Fault } from '../errors.ts';
import type { Credential } from '../model/accounts/caller.ts';

export interface ActivityOwner {
  readonly user_id: number;
  readonly username: string;
  /** The credential that opened or last resumed the session; the session ends with it. */
  readonly credential: Credential;
}

export interface ActivityServer {
  /** Null for quick connect. */
  readonly id: number | null;
  readonly name: string;
  /** Revision of the server record when a transfer or dial began; an edit of the record ends it. */
  readonly revision?: string | undefined;
}

export interface ActivityInfo {
  readonly id: string;
  readonly owner: ActivityOwner;
  readonly server: ActivityServer;
}

/**
 * Something a user keeps running: a terminal (from the request on, before there is a session), a transfer, membership in
 * another user's terminal, an answer of the agent and what streams it, or a search in recordings.
 */
export interface Activity {
  readonly id: string;
  readonly use: 'terminal' | 'transfer' | 'join' | 'watch' | 'chat' | 'search' | 'search_all';
  readonly live: boolean;
  readonly owner: ActivityOwner;
  readonly server: ActivityServer;
  end(fault: Fault): void;
}

/** An activity that another process may continue, such as a terminal. */
export interface LastingActivity extends Activity {
  readonly is_over: boolean;
  /** This process ends: the activity goes on where it is kept, or ends. */
  handOver(fault: Fault): void;
}
