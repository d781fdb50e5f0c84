import { Fault } from '../errors.ts';
import type { AgentEvent } from '../model/agent.ts';
import type { AnswerState } from './transcript.ts';

const MOST_OF_TURN = 5; // on this instance
const MOST_OF_USER = 20;

/** Events of an answer, pulled as fast as the client reads. */
export interface TurnStream {
  /** Waits for the next events; undefined at the end. */
  next(): Promise<readonly AgentEvent[] | undefined>;
  stop(): void;
}

export interface EndableStream extends TurnStream {
  /** Ends the stream, not the turn. */
  end(fault: Fault): void;
}

/** An answer that is being written, here or on another instance. */
export interface AnswerSource {
  readonly user_id: number;
  readonly message_id: number;
  readonly question_id: number;
  read(): AnswerState | Promise<AnswerState>;
  /** Calls `wake` after changes; the returned function stops it. */
  listen(wake: () => void): () => void;
}

/** Why an activity ends, in terms of an answer: activities end as terminals do. */
export function ofActivity({ code, detail }: Fault): Fault {
  return code === 'shutting_down' ? new Fault('agent_interrupted') : new Fault('agent_ended', detail);
}

/** Counts the streams of each turn. */
export interface TurnStreams {
  /** Throws `too_many_streams`. */
  open(source: AnswerSource, onStop?: () => void): EndableStream;
}

export function createTurnStreams(): TurnStreams {
  const counts = new Map<string, number>();
  const countOf = (key: string) => counts.get(key) ?? 0;

  function add(key: string, change: 1 | -1): void {
    const count = countOf(key) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }

  return {
    open(source, onStop = () => undefined) {
      const [turn, user] = [`turn ${source.message_id}`, `user ${source.user_id}`];
      if (countOf(turn) >= MOST_OF_TURN)
        throw new Fault('too_many_streams', 'This answer has too many event streams open');
      if (countOf(user) >= MOST_OF_USER) throw new Fault('too_many_streams');
      for (const key of [turn, user]) add(key, 1);
      return openStream(source, () => {
        for (const key of [turn, user]) add(key, -1);
        onStop();
      });
    },
  };
}

/** Keeps a position instead of events, so a client that does not read costs no memory. */
function openStream(source: AnswerSource, onStop: () => void): EndableStream {
  const newsIn = createPosition(source);
  let is_changed = true;
  let is_over = false;
  let fault: Fault | undefined;
  let wake = () => {};
  const change = () => {
    is_changed = true;
    wake();
  };
  const stopListening = source.listen(change);

  function close(): void {
    if (is_over) return;
    is_over = true;
    stopListening();
    wake();
    onStop();
  }

  async function changed(): Promise<void> {
    if (is_changed || is_over) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }

  async function news(): Promise<AgentEvent[]> {
    is_changed = false;
    const state = await source.read();
    return fault ? newsIn.cut(state, fault) : newsIn.since(state);
  }

  return {
    async next() {
      while (!is_over) {
        const events = await news();
        if (is_over) break;
        if (events.at(-1)?.name === 'done') close();
        if (events.length > 0) return events;
        await changed();
      }
      return undefined;
    },
    stop: close,
    end(why) {
      fault ??= why;
      change();
    },
  };
}

/** What a client has not been sent yet. The text and the steps of an answer only grow. */
function createPosition({ message_id, question_id }: AnswerSource) {
  let has_begun = false;
  let text_length = 0;
  let calls = 0;
  let results = 0;
  let usage = '';

  function* news({ text, steps, usage: used }: AnswerState): Generator<AgentEvent> {
    if (!has_begun) yield { name: 'turn', data: { message_id, question_id } };
    has_begun = true;
    if (text.length > text_length) yield { name: 'text', data: { delta: text.slice(text_length) } };
    text_length = text.length;
    for (const { id, tool, arguments: args } of steps.slice(calls)) {
      yield { name: 'tool_call', data: { id, tool, arguments: args } };
    }
    calls = steps.length;
    for (const { id, ok, summary } of steps.slice(results)) {
      if (ok === null) break; // steps run one after the other
      results += 1;
      yield { name: 'tool_result', data: { id, ok, summary } };
    }
    const counted = JSON.stringify(used);
    if (used && counted !== usage) yield { name: 'usage', data: { ...used } };
    usage = counted;
  }

  return {
    since(state: AnswerState): AgentEvent[] {
      const events = [...news(state)];
      if (state.state === 'running') return events;
      if (state.error) events.push({ name: 'error', data: state.error });
      return [...events, { name: 'done', data: { message_id, state: state.state } }];
    },
    /** The client may not follow the answer any more. */
    cut({ state }: AnswerState, fault: Fault): AgentEvent[] {
      const { code, detail } = ofActivity(fault);
      return [
        { name: 'error', data: { code, message: detail } },
        { name: 'done', data: { message_id, state } },
      ];
    },
  };
}
