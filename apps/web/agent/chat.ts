import { type Accessor, createSignal } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import {
  type AgentEvent,
  type AgentMessage,
  type AgentQuestion,
  type AgentUsage,
  askAgent,
  followTurn,
} from '#client/agent.ts';
import { type GatewayClient, take } from '#client/client.ts';
import { ClientError, networkError } from '#client/transport/client-error.ts';
import { pause, retryDelay } from '../lib/follow.ts';
import { applied, beginning, turnOf } from './turn.ts';

/** The chat of this user about one server. */
export interface AgentChat {
  readonly messages: readonly AgentMessage[];
  /** Undefined for turns that were not followed. */
  usageOf(message_id: number): AgentUsage | undefined;
  readonly loaded: Accessor<boolean>;
  /** The answer in progress. */
  readonly running: Accessor<number | undefined>;
  /** The answer that ended last, while somebody watched. */
  readonly ended: Accessor<AgentMessage | undefined>;
  /** Reads the history, and follows an answer in progress. */
  load(): Promise<void>;
  /** Resolves when the gateway has taken the question. */
  ask(question: AgentQuestion): Promise<void>;
  /** Stops the answer in progress; what was said stays. */
  cancel(): Promise<void>;
  remove(): Promise<void>;
}

interface Options {
  readonly client: GatewayClient;
  readonly server_id: number;
  /** The user signed out or closed the page. */
  readonly signal: AbortSignal;
  readonly random?: () => number;
}

type Events = AsyncGenerator<AgentEvent>;

export function createAgentChat({ client, server_id, signal, random = Math.random }: Options): AgentChat {
  const [messages, setMessages] = createStore<AgentMessage[]>([]);
  const [usages, setUsages] = createStore<Record<number, AgentUsage>>({});
  const [loaded, setLoaded] = createSignal(false);
  const [running, setRunning] = createSignal<number>();
  const [ended, setEnded] = createSignal<AgentMessage>();
  let turn = new AbortController();
  const path = { server_id };

  const change = (id: number, by: (answer: AgentMessage) => AgentMessage) =>
    setMessages((message) => message.id === id, by);

  function hear(id: number, event: AgentEvent): void {
    if (event.name === 'usage') setUsages({ [id]: event.data });
    change(id, (answer) => applied(answer, event));
    if (event.name !== 'done') return;
    setRunning(undefined);
    setEnded(messages.find((message) => message.id === id));
  }

  /** Whether the turn ended. What is followed again begins from its beginning. */
  async function hearAll(id: number, events: Events, is_again: boolean): Promise<boolean> {
    let is_due = is_again;
    for await (const event of events) {
      if (is_due) change(id, beginning);
      is_due = false;
      hear(id, event);
      if (event.name === 'done') return true;
    }
    return false;
  }

  /** Follows a turn to its end, however often the connection is lost. */
  async function follow(id: number, begun?: Events): Promise<void> {
    turn.abort();
    turn = new AbortController();
    const { signal: stop } = turn;
    const both = AbortSignal.any([signal, stop]);
    setRunning(id);
    for (let round = begun ? 0 : 1, events = begun; !both.aborted; round += 1, events = undefined) {
      const present = events ?? followTurn(client, { server_id, message_id: id }, { signal: both });
      try {
        if (await hearAll(id, present, round > 0)) return;
      } catch (error) {
        if (both.aborted) return;
        if (isRefused(error)) return lose(id);
      }
      await pause(retryDelay(round + 1, random), both);
    }
  }

  /** The answer in progress, if there is one. */
  async function read(): Promise<number | undefined> {
    const chat = await take(client.http.GET('/api/agent/chat/{server_id}', { params: { path }, signal }));
    setMessages(reconcile(chat.messages, { key: 'id' }));
    setLoaded(true);
    return chat.messages.findLast(({ state }) => state === 'running')?.id;
  }

  /** The turn can no longer be followed: the chat was deleted, or access was lost. */
  async function lose(id: number): Promise<void> {
    change(id, (answer) => ({ ...answer, state: 'failed' }));
    await read().catch(() => undefined); // what is shown stays
    setRunning(undefined);
  }

  async function load(): Promise<void> {
    if (running() !== undefined) return;
    const present = await read();
    if (present !== undefined) void follow(present);
  }

  async function begin(question: AgentQuestion): Promise<void> {
    const events = askAgent(client, server_id, question, { signal });
    const first = await events.next();
    if (first.done || first.value.name !== 'turn') throw networkError(undefined);
    const ids = first.value.data;
    setMessages((before) => [...before, ...turnOf(question, ids, new Date().toISOString())]);
    void follow(ids.message_id, events);
  }

  return {
    messages,
    usageOf: (id) => usages[id],
    loaded,
    running,
    ended,
    load,
    async ask(question) {
      try {
        await begin(question);
      } catch (error) {
        if (error instanceof ClientError && error.status > 0) throw error;
        await load(); // the question may have arrived although its answer did not
        if (running() === undefined) throw error;
      }
    },
    async cancel() {
      const message_id = running();
      if (message_id === undefined) return;
      const params = { path: { ...path, message_id } };
      await client.http.DELETE('/api/agent/chat/{server_id}/turns/{message_id}', { params });
    },
    async remove() {
      await client.http.DELETE('/api/agent/chat/{server_id}', { params: { path } });
      turn.abort();
      setRunning(undefined);
      setMessages([]);
    },
  };
}

/** Another try would not change this answer of the gateway. */
function isRefused(error: unknown): boolean {
  return error instanceof ClientError && error.status >= 400 && error.status < 500 && error.status !== 429;
}
