import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '#client/agent.ts';
import { applied, beginning, turnOf } from '../../../apps/web/agent/turn.ts';

const [question, answer] = turnOf(
  { message: 'Why?', context: 'df' },
  { question_id: 1, message_id: 2 },
  'now',
);

const EVENTS: readonly AgentEvent[] = [
  { name: 'turn', data: { message_id: 2, question_id: 1 } },
  { name: 'text', data: { delta: 'I look' } },
  { name: 'tool_call', data: { id: 'a', tool: 'largest', arguments: { path: '/' } } },
  { name: 'tool_result', data: { id: 'a', ok: true, summary: '3 entries' } },
  { name: 'text', data: { delta: ': /var' } },
  { name: 'usage', data: { input_tokens: 10, output_tokens: 2 } },
  { name: 'done', data: { message_id: 2, state: 'done' } },
];

describe('a turn', () => {
  it('begins with a question and an empty answer', () => {
    expect(question).toMatchObject({ id: 1, role: 'user', content: 'Why?', context: 'df' });
    expect(answer).toMatchObject({ id: 2, role: 'assistant', content: '', state: 'running' });
  });

  it('becomes the answer that its events tell', () => {
    expect(EVENTS.reduce(applied, answer)).toMatchObject({
      content: 'I look: /var',
      steps: [{ id: 'a', tool: 'largest', arguments: { path: '/' }, ok: true, summary: '3 entries' }],
      state: 'done',
      error: null,
    });
  });

  it('shows a step that is running, once', () => {
    const call = EVENTS[2] as AgentEvent;
    expect([call, call].reduce(applied, answer).steps).toEqual([
      { id: 'a', tool: 'largest', arguments: { path: '/' }, ok: null, summary: '' },
    ]);
  });

  it('keeps what was said before it failed', () => {
    const failed = [
      ...EVENTS.slice(0, 2),
      { name: 'error', data: { code: 'agent_failed', message: 'HTTP 500' } },
      { name: 'done', data: { message_id: 2, state: 'failed' } },
    ] as const satisfies readonly AgentEvent[];
    expect(failed.reduce<typeof answer>(applied, answer)).toMatchObject({
      content: 'I look',
      state: 'failed',
      error: { code: 'agent_failed', message: 'HTTP 500' },
    });
  });

  it('has the same answer when it is followed from its beginning again', () => {
    const once = EVENTS.reduce(applied, answer);
    expect(EVENTS.reduce(applied, beginning(once))).toEqual(once);
  });
});
