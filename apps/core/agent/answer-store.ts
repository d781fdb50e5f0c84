import { createCoalescing } from '../lib/concurrency/coalescing.ts';
import type { AgentMessageState } from '../model/agent.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { RetriedWrites } from './retried-writes.ts';
import type { SealedMessages } from './sealed-messages.ts';
import type { Transcript } from './transcript.ts';

const SAVE_INTERVAL_MS = 1000;
const KEPT_MESSAGES = 200; // of one chat

interface Deps {
  readonly repositories: Pick<Repositories, 'agent_messages'>;
  readonly stored: SealedMessages;
  readonly clock: Clock;
  readonly background: Background;
}

interface Answer {
  readonly message_id: number;
  readonly user_id: number;
  readonly server_id: number;
  readonly transcript: Transcript;
}

/** Stores one answer while it is written, and its end. */
export interface AnswerStore {
  /** Stores a second after a change: one write at a time, however much is said. */
  touch(): void;
  /** Resolves after the first attempt. */
  finish(state: AgentMessageState): Promise<void>;
}

export function createAnswerStore(deps: Deps, writes: RetriedWrites, answer: () => Answer): AnswerStore {
  const { stored, clock, background } = deps;
  const { agent_messages: messages } = deps.repositories;
  const now = () => clock.now().toISOString();
  const content = () => stored.seal(answer().message_id, answer().transcript.content());
  const save = createCoalescing(async () => {
    await messages.save(answer().message_id, { content_sealed: await content(), updated_at: now() });
  });
  let cancel: (() => void) | undefined;
  let is_over = false;

  return {
    touch() {
      if (is_over) return;
      cancel ??= clock.after(SAVE_INTERVAL_MS, () => {
        cancel = undefined;
        background.run('store an answer', save());
      });
    },

    async finish(state) {
      is_over = true;
      cancel?.();
      const { message_id } = answer();
      const content_sealed = await content();
      await writes.run(`end of turn ${message_id}`, async () => {
        await messages.finish(message_id, { state, content_sealed, updated_at: now() });
        await messages.trim(answer(), KEPT_MESSAGES);
      });
    },
  };
}
