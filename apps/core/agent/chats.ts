import type { ActivityRegistry } from '../activities/registry.ts';
import { type AuditTrail, serverLabel } from '../audit/trail.ts';
import { Fault, toFault } from '../errors.ts';
import type { Reach } from '../hosts/reach.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import { every } from '../lib/time/timers.ts';
import { MAX_TURNS } from '../limits.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { AgentChat, AgentMessageRow, AgentQuestion } from '../model/agent.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { credentialOf } from '../policy/account.ts';
import type { ChatKey, TurnRows } from '../ports/repositories/agent-chats.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { AgentAdmission } from './admission.ts';
import type { AgentBudget } from './budget.ts';
import { cleaned } from './clip.ts';
import { masked } from './masking/mask.ts';
import { type SealedMessages, toAgentMessage } from './sealed-messages.ts';
import type { AnswerSource, TurnStream, TurnStreams } from './streams.ts';
import type { AnswerState } from './transcript.ts';
import type { Turns } from './turns.ts';

const MOST_SHOWN = 200; // messages
const MOST_REMEMBERED = 40; // messages that may become history for the model
const FOLLOW_INTERVAL_MS = 1000;
const REFUSED_WHOLE = ['agent_busy', 'too_many_turns', 'server_not_found']; // nothing was stored

/** The chats of a user with the agent, one about each server. Nobody else sees them. */
export interface Chats {
  list(caller: Caller, server_id: number): Promise<AgentChat>;
  /** Begins a turn, which goes on without the stream. */
  ask(caller: Caller, server_id: number, question: AgentQuestion): Promise<TurnStream>;
  /** The turn from its beginning, then as it goes on. */
  follow(caller: Caller, server_id: number, message_id: number): Promise<TurnStream>;
  /** What was said so far is kept. */
  cancel(caller: Caller, server_id: number, message_id: number): Promise<void>;
  /** Cancels a running turn, too. */
  remove(caller: Caller, server_id: number): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'agent_messages'>;
  readonly stored: SealedMessages;
  readonly reach: Reach;
  readonly admission: AgentAdmission;
  readonly budget: AgentBudget;
  readonly turns: Turns;
  readonly streams: TurnStreams;
  readonly activities: Pick<ActivityRegistry, 'addChat' | 'remove'>;
  readonly trail: Pick<AuditTrail, 'record'>;
  readonly clock: Clock;
  readonly run_id: string;
}

export function createChats(deps: Deps): Chats {
  const { repositories, stored, reach, admission, budget, turns, streams, trail } = deps;
  const { agent_messages: messages } = repositories;
  const toRows = createTurnRows(deps);
  const elsewhere = createElsewhereSource(deps);
  const openFor = createStreamsFor(deps);

  async function begin(caller: Caller, server: ServerRow, rows: TurnRows): Promise<void> {
    try {
      await messages.begin(rows, MAX_TURNS);
      await trail.record(caller, 'agent_ask', serverLabel(server), { retry: false });
    } catch (error) {
      if (!REFUSED_WHOLE.includes(toFault(error).code)) turns.discard(rows); // it may have been stored
      throw error;
    }
  }

  return {
    async list(caller, server_id) {
      await reach(caller, 'see_agent', server_id);
      const rows = await messages.newest(chatOf(caller, server_id), MOST_SHOWN);
      return { messages: (await stored.openAll(rows)).map(toAgentMessage) };
    },

    async ask(caller, server_id, asked) {
      const { server, limits } = await admission.admit(caller, server_id);
      const question = withMaskedContext(asked);
      await budget.assertLeft(caller.user_id, limits);
      const chat = chatOf(caller, server_id);
      const earlier = await stored.openAll(await messages.newest(chat, MOST_REMEMBERED));
      const rows = await toRows(chat, question);
      turns.assertOpen();
      if (turns.ofChat(chat)) throw new Fault('agent_busy');
      await begin(caller, server, rows);
      return streams.open(turns.start(rows, server, { caller, question, earlier, limits }));
    },

    async follow(caller, server_id, message_id) {
      const server = await reach(caller, 'see_agent', server_id);
      const chat = chatOf(caller, server_id);
      const live = turns.find(chat, message_id);
      return openFor(caller, server, live ?? (await elsewhere(chat, message_id)));
    },

    async cancel(caller, server_id, message_id) {
      await reach(caller, 'change_chat', server_id);
      const chat = chatOf(caller, server_id);
      const live = turns.find(chat, message_id);
      live?.cancel();
      if (live) return live.ended;
      if (!(await messages.answer(chat, message_id))) throw new Fault('agent_turn_not_found');
      await messages.cancel(chat, message_id);
    },

    async remove(caller, server_id) {
      await reach(caller, 'change_chat', server_id);
      const chat = chatOf(caller, server_id);
      const live = turns.ofChat(chat);
      live?.cancel();
      await live?.ended;
      await messages.removeChat(chat); // ends a turn on another instance, too
    },
  };
}

/** What a person attaches is mostly output of the host, and may hold a secret that nobody noticed. */
function withMaskedContext({ message, context = '' }: AgentQuestion): AgentQuestion {
  return context === '' ? { message } : { message, context: masked(cleaned(context)) };
}

/** The rows of a question and its answer, with reserved ids: sealed content names its row. */
function createTurnRows({ repositories, stored, clock, run_id }: Deps) {
  return async (chat: ChatKey, { message, context = '' }: AgentQuestion): Promise<TurnRows> => {
    const [question_id = 0, answer_id = 0] = await repositories.agent_messages.reserveIds(2);
    const now = clock.now().toISOString();
    const common = { ...chat, is_cancelled: false, created_at: now, updated_at: now };
    const question: AgentMessageRow = {
      ...{ ...common, id: question_id, role: 'user', state: 'done', run_id: null },
      content_sealed: await stored.seal(question_id, { text: message, context }),
    };
    const answer: AgentMessageRow = {
      ...{ ...common, id: answer_id, role: 'assistant', state: 'running', run_id },
      content_sealed: await stored.seal(answer_id, { text: '' }),
    };
    return { question, answer };
  };
}

/** An answer that another instance writes, or that is complete: the database has it. */
function createElsewhereSource({ repositories, stored, clock }: Deps) {
  const { agent_messages: messages } = repositories;

  return async (chat: ChatKey, message_id: number): Promise<AnswerSource> => {
    const row = await messages.answer(chat, message_id);
    const [opened] = await stored.openAll(row ? [row] : []);
    if (!opened) throw new Fault('agent_turn_not_found');
    const earlier = await messages.newest(chat, MOST_SHOWN);
    const question = earlier.findLast(({ role, id }) => role === 'user' && id < message_id);
    let last: AnswerState = { text: '', steps: [], usage: null, state: 'cancelled', error: null };
    return {
      user_id: chat.user_id,
      message_id,
      question_id: question?.id ?? message_id,
      async read() {
        const found = await messages.answer(chat, message_id);
        if (!found) return { ...last, state: 'cancelled' }; // the chat was deleted
        const { content } = await stored.open(found);
        last = { ...content, state: found.state };
        return last;
      },
      listen: (wake) => every(clock.after, FOLLOW_INTERVAL_MS, wake),
    };
  };
}

/** Streams that end when their own caller loses a right; another session may have begun the turn. */
function createStreamsFor({ streams, activities }: Deps) {
  return (caller: Caller, server: ServerRow, source: AnswerSource): TurnStream => {
    const id = `stream ${randomToken(16)}`;
    const { user_id, username } = caller;
    const owner = { user_id, username, credential: credentialOf(caller) };
    const stream = streams.open(source, () => activities.remove(id));
    activities.addChat({ id, owner, server: { id: server.id, name: server.name } }, stream.end);
    return stream;
  };
}

function chatOf({ user_id }: Caller, server_id: number): ChatKey {
  return { user_id, server_id };
}
