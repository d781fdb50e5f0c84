import type { GatewayClient, Schemas } from './client.ts';
import { readEvents, streamOf, type Watching } from './event-stream.ts';

export type AgentMessage = Schemas['AgentMessage'];
export type AgentStep = Schemas['AgentStep'];
export type AgentQuestion = Schemas['AgentQuestion'];

/** What a turn streams. */
export type AgentEvent =
  | { readonly name: 'turn'; readonly data: { readonly message_id: number; readonly question_id: number } }
  | { readonly name: 'text'; readonly data: { readonly delta: string } }
  | { readonly name: 'tool_call'; readonly data: Pick<AgentStep, 'id' | 'tool' | 'arguments'> }
  | {
      readonly name: 'tool_result';
      readonly data: Pick<AgentStep, 'id' | 'summary'> & { readonly ok: boolean };
    }
  | { readonly name: 'usage'; readonly data: AgentUsage }
  | { readonly name: 'error'; readonly data: { readonly code: string; readonly message: string } }
  | {
      readonly name: 'done';
      readonly data: { readonly message_id: number; readonly state: AgentMessage['state'] };
    };

export interface AgentUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

const headers = { Accept: 'text/event-stream' };

/** Asks, and follows the answer. Aborting stops only the following: the turn goes on. */
export async function* askAgent(
  client: GatewayClient,
  server_id: number,
  question: AgentQuestion,
  watching: Watching = {},
): AsyncGenerator<AgentEvent> {
  const { signal = null } = watching;
  const answer = await client.http.POST('/api/agent/chat/{server_id}', {
    params: { path: { server_id } },
    body: question,
    headers,
    parseAs: 'stream',
    signal,
  });
  yield* eventsOf(streamOf(answer), watching);
}

/** Follows a turn from its beginning: what there is of it, then what comes. */
export async function* followTurn(
  client: GatewayClient,
  path: { readonly server_id: number; readonly message_id: number },
  watching: Watching = {},
): AsyncGenerator<AgentEvent> {
  const { signal = null } = watching;
  const answer = await client.http.GET('/api/agent/chat/{server_id}/turns/{message_id}', {
    params: { path },
    headers,
    parseAs: 'stream',
    signal,
  });
  yield* eventsOf(streamOf(answer), watching);
}

async function* eventsOf(body: ReadableStream<Uint8Array>, watching: Watching): AsyncGenerator<AgentEvent> {
  for await (const event of readEvents(body, watching)) if (isAgentEvent(event)) yield event;
}

const NAMES: ReadonlySet<string> = new Set<AgentEvent['name']>([
  ...(['turn', 'text', 'tool_call', 'tool_result', 'usage', 'error', 'done'] as const),
]);

/** By its name alone: the gateway sends only events of its own schema. */
function isAgentEvent(event: { readonly name: string; readonly data: unknown }): event is AgentEvent {
  return NAMES.has(event.name);
}
