import { z } from '@hono/zod-openapi';
import {
  AgentSettings,
  AgentSettingsInput,
  AgentStatus,
  AgentTest,
  AgentTestInput,
} from '#core/model/agent.ts';
import { defineRoute } from '../define.ts';
import { body, json, optionalBody } from '../shapes.ts';

const changing = { 'x-access': 'admin', 'x-scope': 'session', 'x-fresh': true } as const;
const server_id = z.coerce.number().int().min(1).max(2_147_483_647).optional();

export const getAgentSettings = defineRoute({
  operationId: 'agent.settings',
  method: 'get',
  path: '/api/agent/settings',
  tags: ['agent'],
  summary: 'Get the settings of the agent',
  description: 'The API key of the provider is never returned: `has_key` says whether one is stored.',
  'x-access': 'admin',
  'x-scope': 'admin',
  responses: { 200: json(AgentSettings, 'Settings, without the key') },
});

export const updateAgentSettings = defineRoute({
  operationId: 'agent.update_settings',
  method: 'put',
  path: '/api/agent/settings',
  tags: ['agent'],
  summary: 'Change the settings of the agent',
  description:
    'Takes effect on every instance at once. Without `provider`, the agent is off. Without `allow_private_address`, the ' +
    'address must be `https` and every address that its name resolves to must be public.',
  ...changing,
  request: { body: body(AgentSettingsInput) },
  refuses: ['credential_required'],
  responses: { 200: json(AgentSettings, 'The changed settings') },
});

export const testAgentSettings = defineRoute({
  operationId: 'agent.test_settings',
  method: 'post',
  path: '/api/agent/settings/test',
  tags: ['agent'],
  summary: 'List the models of a provider and ask one for a word',
  description:
    'Tries the settings of the request, which need not be saved, or without a body the stored ones. Without a model, it only lists the models. Ends within 20 seconds.',
  ...changing,
  'x-rate': { name: 'agent.test', limit: 30, window_s: 60, by: 'user' },
  request: { body: optionalBody(AgentTestInput) },
  refuses: ['credential_required', 'agent_off'],
  responses: { 200: json(AgentTest, 'What came of it') },
});

export const agentStatus = defineRoute({
  operationId: 'agent.status',
  method: 'get',
  path: '/api/agent/status',
  tags: ['agent'],
  summary: 'Get whether the agent answers, and why not',
  description: 'With `server_id`, for this server; otherwise for the gateway. Does not call the provider.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { query: z.object({ server_id }) },
  refuses: ['server_not_found'],
  responses: { 200: json(AgentStatus, 'Status') },
});
