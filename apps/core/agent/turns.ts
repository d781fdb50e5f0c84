import type { ActivityRegistry } from '../activities/registry.ts';
import { serverLabel } from '../audit/trail.ts';
import { Fault, toFault } from '../errors.ts';
import { createCoalescing } from '../lib/coalescing.ts';
import { every } from '../lib/timers.ts';
import type { AgentMessage, AgentMessageState } from '../model/agent.ts';
import type { ServerRow } from '../model/server.ts';
import { credentialOf } from '../policy/account.ts';
import { ModelFailed } from '../ports/agent.ts';
import type { ChatKey, TurnRows } from '../ports/repositories/agent-chats.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import type { Asked, Dialogue } from './dialogue.ts';
import { createLiveTurn, isCancelled, type LiveTurn } from './live-turn.ts';
import type { AgentConfig } from './settings.ts';
import type { StoredMessages } from './stored.ts';
import { ofActivity } from './streams.ts';

const SAVE_INTERVAL_MS = 1000;
const WATCH_INTERVAL_MS = 1000; // what another instance cancels or deletes ends here within 2 s
const KEPT_MESSAGES = 200; // of one chat

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
  readonly stored: StoredMessages;
  readonly dialogue: Dialogue;
  readonly config: Pick<AgentConfig, 'inForce'>;
  readonly activities: Pick<ActivityRegistry, 'addChat' | 'remove'>;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Pick<Log, 'error'>;
}

export function createTurns(deps: Deps): Turns {
  const { repositories, stored, dialogue, activities, clock, background, log } = deps;
  const { agent_messages: messages } = repositories;
  const live = new Map<number, LiveTurn>();
  const owed = createOwed(background);
  const now = () => clock.now().toISOString();
  let is_closed = false;

  async function store(turn: LiveTurn, state: AgentMessageState): Promise<void> {
    const { message_id: id, transcript } = turn;
    const content_sealed = await stored.seal(id, transcript.content());
    await owed.pay(`end of turn ${id}`, async () => {
      await messages.finish(id, { state, content_sealed, updated_at: now() });
      await messages.trim(turn, KEPT_MESSAGES);
    });
  }

  async function run(turn: LiveTurn, asked: Asked, saver: Saver): Promise<void> {
    const { seconds } = asked.limits;
    const cancelDeadline = clock.after(seconds * 1000, () =>
      turn.end(new Fault('agent_limit', `The answer took longer than ${seconds} seconds`)),
    );
    const { state, error, cause } = await dialogue(turn, asked).then(
      () => DONE,
      (thrown: unknown) => endOf(turn.signal.aborted ? turn.signal.reason : thrown),
    );
    cancelDeadline();
    saver.stop();
    if (cause) log.error({ err: cause, message_id: turn.message_id }, 'A turn of the agent failed');
    turn.transcript.close(error);
    await store(turn, state).finally(() => turn.settle(state));
  }

  return {
    start({ question, answer }, server, asked) {
      const { id, user_id, server_id } = answer;
      const save = async () => {
        const content_sealed = await stored.seal(id, turn.transcript.content());
        await messages.save(id, { content_sealed, updated_at: now() });
      };
      const saver = createSaver(save, { clock, background });
      const begun = { message_id: id, question_id: question.id, user_id, server_id };
      const turn = createLiveTurn({ ...begun, onChange: saver.touch });
      const activity_id = `turn ${id}`;
      const { username } = asked.caller;
      const owner = { user_id, username, credential: credentialOf(asked.caller) };
      activities.addChat({ id: activity_id, owner, server: { id: server.id, name: server.name } }, (fault) =>
        turn.end(ofActivity(fault)),
      );
      live.set(id, turn);
      const done = () => {
        live.delete(id);
        activities.remove(activity_id);
      };
      background.run(`answer a question about ${serverLabel(server)}`, run(turn, asked, saver).finally(done));
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
      background.run(
        'discard a turn',
        owed.pay(`discard ${rows.answer.id}`, () => messages.removeTurn(rows)),
      );
    },

    watch: () => startWatch(deps, live, owed),

    async close() {
      is_closed = true;
      for (const turn of live.values()) turn.end(new Fault('agent_interrupted'));
      await Promise.all([...live.values()].map(({ ended }) => ended));
    },
  };
}

/** Ends turns that another instance has cancelled or deleted, and all once the agent is off. */
function startWatch(
  { repositories, config, clock, background }: Deps,
  live: ReadonlyMap<number, LiveTurn>,
  owed: Owed,
): () => void {
  async function look(): Promise<void> {
    await owed.payAll();
    const watched = [...live.values()];
    if (watched.length === 0) return;
    const standing = new Set(
      await repositories.agent_messages.standing(watched.map(({ message_id }) => message_id)),
    );
    for (const turn of watched) if (!standing.has(turn.message_id)) turn.cancel();
    const off = await config.inForce().then(
      () => undefined,
      (error: unknown) => toFault(error),
    );
    if (off?.code === 'agent_off') for (const turn of watched) turn.end(off);
  }

  let is_looking = false;
  return every(clock.after, WATCH_INTERVAL_MS, () => {
    if (is_looking || (live.size === 0 && owed.isPaid())) return;
    is_looking = true;
    const done = () => {
      is_looking = false;
    };
    background.run('watch the turns of the agent', look().finally(done));
  });
}

interface Saver {
  touch(): void;
  stop(): void;
}

/** Stores progress a second after a change: one write at a time, however much is said. */
function createSaver(save: () => Promise<void>, { clock, background }: Pick<Deps, 'clock' | 'background'>) {
  const saveOnce = createCoalescing(save);
  let cancel: (() => void) | undefined;
  let is_stopped = false;
  const saver: Saver = {
    touch() {
      if (is_stopped) return;
      cancel ??= clock.after(SAVE_INTERVAL_MS, () => {
        cancel = undefined;
        background.run('store an answer', saveOnce());
      });
    },
    stop() {
      is_stopped = true;
      cancel?.();
    },
  };
  return saver;
}

type Owed = ReturnType<typeof createOwed>;

/** Writes that must happen: without them, a turn would seem to run for ever. */
function createOwed(background: Background) {
  const unpaid = new Map<string, () => Promise<void>>();

  async function pay(what: string, write: () => Promise<void>): Promise<void> {
    unpaid.set(what, write);
    const written = write().then(() => void unpaid.delete(what));
    background.run(what, written); // logs a failure
    await written.catch(() => undefined);
  }

  return {
    /** Resolves after the first attempt. */
    pay,
    isPaid: () => unpaid.size === 0,
    async payAll(): Promise<void> {
      for (const [what, write] of [...unpaid]) await pay(what, write);
    },
  };
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
