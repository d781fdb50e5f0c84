import { createRoot } from 'solid-js';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '#client/agent.ts';
import { createClient } from '#client/client.ts';
import { type AgentChat, createAgentChat } from '../../../apps/web/agent/chat.ts';

const TURN: AgentEvent = { name: 'turn', data: { message_id: 2, question_id: 1 } };
const DONE: AgentEvent = { name: 'done', data: { message_id: 2, state: 'done' } };
const text = (delta: string): AgentEvent => ({ name: 'text', data: { delta } });

/** A stream that ends after these events, cleanly or as a lost connection does. */
function streamed(events: readonly AgentEvent[]): Response {
  const body = events.map(({ name, data }) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

type Answers = Readonly<Record<string, (count: number) => Response>>;

function chatWith(answers: Answers): { chat: AgentChat; asked: string[] } {
  const asked: string[] = [];
  const client = createClient({
    base_url: 'http://gateway',
    credentials: 'token',
    retries: 0,
    fetch: async ({ method, url }) => {
      const key = `${method} ${new URL(url).pathname.replace('/api/agent/chat/3', '') || '/'}`;
      asked.push(key);
      const answer = answers[key]?.(asked.filter((one) => one === key).length);
      if (!answer) throw new Error(`Unexpected: ${key}`);
      return answer;
    },
  });
  const { signal } = new AbortController();
  const chat = createRoot(() => createAgentChat({ client, server_id: 3, signal, random: () => -1 }));
  return { chat, asked };
}

const refusal = (status: number, code: string) =>
  new Response(JSON.stringify({ detail: code, code }), { status });
const shown = ({ messages }: AgentChat) => messages.map(({ role, content, state }) => [role, content, state]);
const isOver = (chat: AgentChat) => expect.poll(() => chat.running()).toBeUndefined();

describe('a chat with the agent', () => {
  it('follows an answer whose connection is lost from its beginning, without asking again', async () => {
    const { chat, asked } = chatWith({
      'POST /': () => streamed([TURN, text('Half')]),
      'GET /turns/2': (count) =>
        count === 1 ? streamed([TURN, text('Half of')]) : streamed([TURN, text('Half of it.'), DONE]),
    });
    await chat.ask({ message: 'Why?' });
    await isOver(chat);
    expect(shown(chat)).toEqual([
      ['user', 'Why?', 'done'],
      ['assistant', 'Half of it.', 'done'],
    ]);
    expect(asked).toEqual(['POST /', 'GET /turns/2', 'GET /turns/2']);
  });

  it('follows an answer that was in progress when it was opened', async () => {
    const message = {
      id: 2,
      role: 'assistant',
      content: 'Ha',
      context: '',
      steps: [],
      state: 'running',
      error: null,
    };
    const { chat } = chatWith({
      'GET /': () => Response.json({ messages: [{ ...message, created_at: 'now' }] }),
      'GET /turns/2': () => streamed([TURN, text('Half'), DONE]),
    });
    await chat.load();
    await isOver(chat);
    expect(shown(chat)).toEqual([['assistant', 'Half', 'done']]);
  });

  it('refuses a question as the gateway does, and shows nothing', async () => {
    const { chat } = chatWith({ 'POST /': () => refusal(429, 'agent_budget') });
    await expect(chat.ask({ message: 'Why?' })).rejects.toMatchObject({ code: 'agent_budget' });
    expect(shown(chat)).toEqual([]);
  });

  it('stops following an answer that is gone, and shows what is left', async () => {
    const { chat, asked } = chatWith({
      'POST /': () => streamed([TURN, text('Half')]),
      'GET /turns/2': () => refusal(404, 'agent_turn_not_found'),
      'GET /': () => Response.json({ messages: [] }),
    });
    await chat.ask({ message: 'Why?' });
    await isOver(chat);
    expect(shown(chat)).toEqual([]);
    expect(asked).toEqual(['POST /', 'GET /turns/2', 'GET /']);
  });
});
