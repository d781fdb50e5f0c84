import type { ReserveIds } from '../../lib/id-pool.ts';
import type { AgentMessageRow } from '../../model/agent.ts';

/** The chat of one user about one server. */
export type ChatKey = Pick<AgentMessageRow, 'user_id' | 'server_id'>;

export interface TurnRows {
  readonly question: AgentMessageRow;
  /** Running. */
  readonly answer: AgentMessageRow;
}

export type TurnEnd = Pick<AgentMessageRow, 'state' | 'content_sealed' | 'updated_at'>;

export interface AgentMessageRepository {
  readonly reserveIds: ReserveIds;
  /**
   * Stores a question and its answer to be. Throws `agent_busy` while another turn of this chat runs, and
   * `too_many_turns` at `most` of the user, also under concurrency. Turns of instances that have ended do not count.
   */
  begin(turn: TurnRows, most: number): Promise<void>;
  /** The newest messages of a chat, oldest first. */
  newest(chat: ChatKey, most: number): Promise<AgentMessageRow[]>;
  /** An answer of this chat. */
  answer(chat: ChatKey, id: number): Promise<AgentMessageRow | undefined>;
  /** Stores what a running turn has said so far. */
  save(id: number, progress: Pick<TurnEnd, 'content_sealed' | 'updated_at'>): Promise<void>;
  /** Ends a running turn; false when it has ended or was deleted. */
  finish(id: number, end: TurnEnd): Promise<boolean>;
  /** Asks the instance that runs this turn to end it. */
  cancel(chat: ChatKey, id: number): Promise<void>;
  /** Those of the turns that run, and are to go on. */
  standing(ids: readonly number[]): Promise<number[]>;
  /** Removes a question and its answer. */
  removeTurn(turn: TurnRows): Promise<void>;
  removeChat(chat: ChatKey): Promise<void>;
  /** Removes all but the newest messages of a chat. */
  trim(chat: ChatKey, kept: number): Promise<void>;
  /** Removes chats whose last message is from before this instant. */
  removeOlder(before: string): Promise<void>;
  /** Running turns of instances that have ended, and of `run_id`. */
  orphans(run_id: string): Promise<AgentMessageRow[]>;
}

/** Tokens of a user, by UTC day; `day` is its midnight. */
export interface AgentUsageRepository {
  tokens(user_id: number, day: string): Promise<number>;
  add(user_id: number, day: string, tokens: number): Promise<void>;
  /** Removes days before this one. */
  removeOlder(day: string): Promise<void>;
}
