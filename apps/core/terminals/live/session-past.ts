import type { KeptOutput } from '../../ports/keeper.ts';

/** What a session was before this process continued it. */
export interface SessionPast {
  readonly started_at: Date;
  readonly output: KeptOutput;
  /** How long the owner has been away. */
  readonly away_ms: number;
}
