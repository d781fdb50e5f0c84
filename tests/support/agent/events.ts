import { expect } from 'vitest';
import type { TurnStream } from '#core/agent/streams.ts';
import type { AgentEvent } from '#core/model/agent.ts';

/** The stream to its end. */
export async function all(stream: TurnStream): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for (let next = await stream.next(); next; next = await stream.next()) events.push(...next);
  return events;
}

export function textOf(events: readonly AgentEvent[]): string {
  return events.flatMap((event) => (event.name === 'text' ? [event.data.delta] : [])).join('');
}

export function endOf(events: readonly AgentEvent[]) {
  const error = events.find(({ name }) => name === 'error');
  const done = events.at(-1);
  if (done?.name !== 'done') throw new Error('The stream has no end');
  return { state: done.data.state, error: error?.name === 'error' ? error.data : undefined };
}

/** The ids of a stream that has begun. */
export async function begun(stream: TurnStream) {
  const [first] = (await stream.next()) ?? [];
  expect(first?.name).toBe('turn');
  if (first?.name !== 'turn') throw new Error('The stream has not begun');
  return first.data;
}
