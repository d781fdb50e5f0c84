import { z } from '@hono/zod-openapi';
import { AgentChat, AgentQuestion } from '#core/model/agent.ts';
import { defineRoute } from '../define.ts';
import { body, eventStream, json, pathId } from '../shapes.ts';

const chatParams = z.object({ server_id: pathId });
const turnParams = chatParams.extend({ message_id: pathId });

const EVENTS =
  'Events: first `turn` `{message_id, question_id}`, then `text` `{delta}`, `tool_call` ' +
  '`{id, tool, arguments}`, `tool_result` `{id, ok, summary}`, `usage` `{input_tokens, output_tokens}` (of the ' +
  'turn so far) and `error` `{code, message}`, and last `done` `{message_id, state}`. The text is Markdown of the ' +
  'model, and untrusted.';

export const getChat = defineRoute({
  operationId: 'agent.chat',
  method: 'get',
  path: '/api/agent/chat/{server_id}',
  tags: ['agent'],
  summary: 'Own chat with the agent about a server',
  description: 'Nobody else can read it, administrators included. At most the newest 200 messages.',
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-mixes-secrets': true,
  request: { params: chatParams },
  refuses: ['server_not_found'],
  responses: { 200: json(AgentChat, 'Oldest first') },
});

export const askAgent = defineRoute({
  operationId: 'agent.ask',
  'x-turn': 'own',
  method: 'post',
  path: '/api/agent/chat/{server_id}',
  tags: ['agent'],
  summary: 'Ask the agent about a server (server-sent events)',
  description: `The turn goes on when the client disconnects; follow it with \`GET …/turns/{message_id}\`. ${EVENTS}`,
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-long': true,
  'x-mixes-secrets': true,
  'x-rate': { name: 'agent_ask', limit: 30, window_s: 60, by: 'user' },
  request: { params: chatParams, body: body(AgentQuestion) },
  refuses: [
    'server_not_found',
    'agent_off',
    'agent_disabled_for_server',
    'ssh_disabled',
    'agent_busy',
    'agent_budget',
    'too_many_turns',
    'too_many_streams',
    'shutting_down',
  ],
  responses: {
    200: eventStream(z.string(), 'The turn, until it is done'),
  },
});

export const clearChat = defineRoute({
  operationId: 'agent.clear',
  method: 'delete',
  path: '/api/agent/chat/{server_id}',
  tags: ['agent'],
  summary: 'Delete the own chat about a server',
  description: 'Cancels a running turn.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: chatParams },
  refuses: ['server_not_found'],
  responses: { 204: { description: 'Deleted' } },
});

export const followTurn = defineRoute({
  operationId: 'agent.follow',
  'x-turn': 'own',
  method: 'get',
  path: '/api/agent/chat/{server_id}/turns/{message_id}',
  tags: ['agent'],
  summary: 'Follow a turn from its beginning (server-sent events)',
  description: `Costs no tokens. It works on every instance, and after the turn is done. ${EVENTS}`,
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-long': true,
  'x-mixes-secrets': true,
  request: { params: turnParams },
  refuses: ['server_not_found', 'agent_turn_not_found', 'too_many_streams', 'shutting_down'],
  responses: {
    200: eventStream(z.string(), 'The turn, until it is done'),
  },
});

export const cancelTurn = defineRoute({
  operationId: 'agent.cancel',
  method: 'delete',
  path: '/api/agent/chat/{server_id}/turns/{message_id}',
  tags: ['agent'],
  summary: 'Cancel a running turn',
  description: 'What was said so far is kept. A turn on another instance ends within 2 s.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: turnParams },
  refuses: ['server_not_found', 'agent_turn_not_found'],
  responses: {
    204: { description: 'Cancelled, or over already' },
  },
});
