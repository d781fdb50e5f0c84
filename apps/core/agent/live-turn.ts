import { Fault } from '../errors.ts';
import type { AgentMessageState } from '../model/agent.ts';
import type { ChatKey } from '../ports/repositories/agent-chats.ts';
import type { AnswerSource } from './streams.ts';
import { createTranscript, type Transcript } from './transcript.ts';

/** Its user has cancelled the turn, or deleted the chat. */
const CANCELLED = new Fault('agent_ended', 'Cancelled');

/** A turn that this process runs. */
export interface LiveTurn extends AnswerSource, ChatKey {
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
  /** Resolves once the turn has ended and its end is stored, if the database answers. */
  readonly ended: Promise<void>;
  cancel(): void;
  end(fault: Fault): void;
  /** Its end is stored. */
  settle(state: AgentMessageState): void;
}

interface Begun extends ChatKey {
  readonly message_id: number;
  readonly question_id: number;
  /** Called after each change of the answer. */
  readonly onChange: () => void;
}

export function createLiveTurn({ onChange, ...ids }: Begun): LiveTurn {
  const ending = new AbortController();
  const listeners = new Set<() => void>();
  const transcript = createTranscript(() => {
    onChange();
    for (const listener of listeners) listener();
  });
  let settled = () => {};
  const ended = new Promise<void>((resolve) => {
    settled = resolve;
  });
  return {
    ...ids,
    transcript,
    signal: ending.signal,
    ended,
    read: transcript.state,
    listen(wake) {
      listeners.add(wake);
      return () => listeners.delete(wake);
    },
    cancel: () => ending.abort(CANCELLED),
    end: (fault) => ending.abort(fault),
    settle(state) {
      transcript.settle(state);
      settled();
    },
  };
}

export function isCancelled(error: unknown): boolean {
  return error === CANCELLED;
}
