import { holdRight } from '../activities/held-right.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import { serverLabel } from '../audit/trail.ts';
import { Fault, toFault } from '../errors.ts';
import type { AgentMessage, AgentMessageState } from '../model/agent.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { ModelFailed } from '../ports/agent.ts';
import type { ChatKey, TurnRows } from '../ports/repositories/agent-chats.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { type AnswerStore, createAnswerStore } from './answer-store.ts';
import type { Asked, Dialogue } from './dialogue.ts';
import { createLiveTurn, isCancelled, type LiveTurn } from './live-turn.ts';
import { createRetriedWrites } from './retried-writes.ts';
import type { SealedMessages } from './sealed-messages.ts';
import type { AgentConfig } from './settings.ts';
import { ofActivity } from './streams.ts';
import { startTurnWatch } from './turn-watch.ts';

/** The turns that this process runs. They go on when nobody listens. */
export interface Turns {
  /** The rows are stored. */
  start(rows: TurnRows, server: ServerRow, asked: Asked): LiveTurn;
  find(chat: ChatKey, message_id: number): LiveTurn | undefined;
  ofChat(chat: ChatKey): LiveTurn | undefined;
  /** Throws `shutting_down`. */
  assertOpen(): void;
  /** Removes the rows of a turn that did not start, now or when the database answers. */
  discard(rows: TurnRows): void;
  /** Ends turns that were cancelled elsewhere, and all when the agent is switched off. */
  watch(): () => void;
  /** Ends all turns, and resolves when they have ended. */
  close(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'agent_messages'>;
  readonly stored: SealedMessages;
  readonly dialogue: Dialogue;
  readonly config: Pick<AgentConfig, 'inForce'>;
  readonly activities: Pick<ActivityRegistry, 'addChat' | 'remove'>;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Pick<Log, 'error'>;
}

export function createTurns(deps: Deps): Turns {
  const { repositories, background } = deps;
  const live = new Map<number, LiveTurn>();
  const writes = createRetriedWrites(background);
  const run = createRunning(deps);
  let is_closed = false;

  return {
    start({ question, answer }, server, asked) {
      const { id, user_id, server_id } = answer;
      const store = createAnswerStore(deps, writes, () => turn);
      const begun = { message_id: id, question_id: question.id, user_id, server_id };
      const turn = createLiveTurn({ ...begun, onChange: store.touch });
      const release = watchRight(deps, turn, { server, asked });
      live.set(id, turn);
      if (is_closed) turn.end(new Fault('agent_interrupted'));
      const done = () => {
        live.delete(id);
        release();
      };
      background.run(`answer a question about ${serverLabel(server)}`, run(turn, asked, store).finally(done));
      return turn;
    },

    find(chat, message_id) {
      const turn = live.get(message_id);
      return turn && isOf(turn, chat) ? turn : undefined;
    },

    ofChat: (chat) => [...live.values()].find((turn) => isOf(turn, chat)),

    assertOpen() {
      if (is_closed) throw new Fault('shutting_down');
    },

    discard(rows) {
      const removed = writes.run(`discard turn ${rows.answer.id}`, () =>
        repositories.agent_messages.removeTurn(rows),
      );
      background.run('discard a turn', removed);
    },

    watch: () => startTurnWatch(deps, live, writes),

    async close() {
      is_closed = true;
      for (const turn of live.values()) turn.end(new Fault('agent_interrupted'));
      await Promise.all([...live.values()].map(({ ended }) => ended));
    },
  };
}

/** Runs a turn to its end, and stores the end. */
function createRunning({ dialogue, clock, log }: Deps) {
  return async (turn: LiveTurn, asked: Asked, store: AnswerStore): Promise<void> => {
    const { seconds } = asked.limits;
    const cancelDeadline = clock.after(seconds * 1000, () =>
      turn.end(new Fault('agent_limit', `The answer took longer than ${seconds} seconds`)),
    );
    const { state, error, cause } = await dialogue(turn, asked).then(
      () => DONE,
      (thrown: unknown) => endOf(turn.signal.aborted ? turn.signal.reason : thrown),
    );
    cancelDeadline();
    if (cause) log.error({ err: cause, message_id: turn.message_id }, 'A turn of the agent failed');
    turn.transcript.close(error);
    await store.finish(state).finally(() => turn.settle(state));
  };
}

/** Ends the turn when its user loses a right to it; the returned function ends the watch. */
function watchRight(
  { activities }: Pick<Deps, 'activities'>,
  turn: LiveTurn,
  { server, asked: { caller } }: { readonly server: ServerRow; readonly asked: Asked },
): () => void {
  const { signal, release } = holdRight(activities, caller, {
    add: activities.addChat,
    reasonOf: ofActivity,
    server: { id: server.id, name: server.name },
    id: `turn ${turn.message_id}`,
  });
  signal.addEventListener('abort', () => turn.end(signal.reason));
  return release;
}

interface End {
  readonly state: AgentMessageState;
  readonly error: AgentMessage['error'];
  /** For the log. */
  readonly cause?: unknown;
}

const DONE: End = { state: 'done', error: null };

function endOf(thrown: unknown): End {
  if (isCancelled(thrown)) return { state: 'cancelled', error: null };
  if (thrown instanceof ModelFailed) {
    return { state: 'failed', error: { code: 'agent_failed', message: thrown.message } };
  }
  const fault = toFault(thrown);
  const error = { code: fault.code, message: fault.detail };
  return { state: 'failed', error, cause: fault.code === 'internal' ? thrown : undefined };
}

function isOf(turn: ChatKey, chat: ChatKey): boolean {
  return turn.user_id === chat.user_id && turn.server_id === chat.server_id;
}
