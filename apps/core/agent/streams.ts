import { Fault } from '../errors.ts';
import type { AgentEvent } from '../model/agent.ts';
import type { AnswerState } from './transcript.ts';

const MOST_STREAMS = 5; // of one turn, on this instance

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
  const counts = new Map<number, number>(); // by message id

  function add(id: number, change: 1 | -1): void {
    const count = (counts.get(id) ?? 0) + change;
    if (count === 0) counts.delete(id);
    else counts.set(id, count);
  }

  return {
    open(source, onStop = () => undefined) {
      const { message_id } = source;
      if ((counts.get(message_id) ?? 0) >= MOST_STREAMS) {
        throw new Fault('too_many_streams', 'This answer has too many event streams open');
      }
      add(message_id, 1);
      return openStream(source, () => {
        add(message_id, -1);
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

  return {
    async next() {
      while (!is_over) {
        is_changed = false;
        const state = await source.read();
        if (is_over) return undefined;
        const events = fault ? newsIn.cut(state, fault) : newsIn.since(state);
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
