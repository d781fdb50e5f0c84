import { z } from '@hono/zod-openapi';
import { ConnectionTest } from '#core/model/hosts/connection-test.ts';
import { HostKeyInput, Server, ServerInput, ServerPatch } from '#core/model/hosts/server.ts';
import { defineRoute } from '../define.ts';
import { body, eventsOf, json, paging, serverIdParam } from '../shapes.ts';

const filter = z.object({
  group: z.string().max(100).optional(),
  search: z.string().max(200).optional().describe('In name, host name and description, ignoring case'),
  tag: z.string().max(50).optional(),
});

export const listServers = defineRoute({
  operationId: 'servers.list',
  method: 'get',
  path: '/api/servers',
  tags: ['servers'],
  summary: 'List the servers that the caller may reach',
  description:
    'The whole list, or one page of it if `limit` or `offset` is sent. The answer has an `ETag`; with ' +
    '`If-None-Match`, an unchanged list is not sent again.',
  'x-access': 'user',
  'x-scope': 'read',
  request: {
    query: filter.extend({
      limit: paging.shape.limit.unwrap().optional().describe('By default 100 if `offset` is sent'),
      offset: paging.shape.offset.unwrap().optional(),
    }),
    headers: z.object({ 'if-none-match': z.string().optional() }),
  },
  responses: {
    200: {
      ...json(z.array(Server), 'Ordered by name'),
      headers: z.object({
        ETag: z.string(),
        'X-Total-Count': z.string().optional().describe('Length of the whole list, on a page'),
      }),
    },
    304: { description: 'Unchanged' },
  },
});

export const createServer = defineRoute({
  operationId: 'servers.create',
  method: 'post',
  path: '/api/servers',
  tags: ['servers'],
  summary: 'Register a server',
  description:
    'Credentials are stored encrypted and are never returned. The first connection pins the host key that the host presents.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { body: body(ServerInput) },
  refuses: [
    'jump_host_unknown',
    'jump_cycle',
    'jump_too_deep',
    'unreadable_private_key',
    'too_many_key_jobs',
  ],
  responses: { 201: json(Server, 'Registered') },
});

export const serverGroups = defineRoute({
  operationId: 'servers.groups',
  method: 'get',
  path: '/api/servers/groups',
  tags: ['servers'],
  summary: 'List the groups of the servers that the caller may reach',
  description: 'The groups that servers are in, not those that users may reach.',
  'x-access': 'user',
  'x-scope': 'read',
  responses: { 200: json(z.array(z.string()), 'Ordered by name') },
});

export const getServer = defineRoute({
  operationId: 'servers.get',
  method: 'get',
  path: '/api/servers/{id}',
  tags: ['servers'],
  summary: 'Get a server',
  description: 'Says which credentials are stored, never what they are.',
  'x-access': 'user',
  'x-scope': 'read',
  request: { params: serverIdParam },
  refuses: ['server_not_found'],
  responses: { 200: json(Server, 'The server') },
});

export const updateServer = defineRoute({
  operationId: 'servers.update',
  method: 'put',
  path: '/api/servers/{id}',
  tags: ['servers'],
  summary: 'Update a server',
  description:
    'Absent fields stay as they are; an empty string clears a credential; `null` or 0 clears ' +
    '`jump_via_id`. A new hostname or port clears the pinned host key. Pooled connections are closed. ' +
    'If a credential is stored, a new hostname, port or jump host needs a fresh session (403 ' +
    '`step_up_required`); an API key must replace or clear each stored credential in the same request ' +
    '(422 `credential_required`).',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: serverIdParam, body: body(ServerPatch) },
  refuses: [
    'server_not_found',
    'step_up_required',
    'credential_required',
    'jump_host_unknown',
    'jump_cycle',
    'jump_too_deep',
    'server_changed',
    'unreadable_private_key',
    'too_many_key_jobs',
  ],
  responses: {
    200: json(Server, 'Changed'),
  },
});

export const deleteServer = defineRoute({
  operationId: 'servers.delete',
  method: 'delete',
  path: '/api/servers/{id}',
  tags: ['servers'],
  summary: 'Delete a server',
  description: 'Ends its open terminals.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: serverIdParam },
  refuses: ['server_not_found', 'jump_host_in_use'],
  responses: {
    204: { description: 'Removed' },
  },
});

export const testServer = defineRoute({
  operationId: 'servers.test',
  'x-turn': 'files',
  method: 'post',
  path: '/api/servers/{id}/test',
  tags: ['servers'],
  summary: 'Test the connection, stage by stage',
  'x-rate': { name: 'server_test', limit: 120, window_s: 60, by: 'user' },
  description:
    'Always 200: `success` and `message` contain the result. With `Accept: text/event-stream`, each ' +
    'stage is reported as it runs, in events named `test` that contain a `ConnectionTestEvent`; ' +
    'disconnecting aborts the test. A server whose credential is typed at connect is tested up to ' +
    'its host key.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: serverIdParam },
  refuses: ['server_not_found', 'shutting_down'],
  responses: {
    200: {
      description: 'The result',
      content: {
        'application/json': { schema: ConnectionTest },
        'text/event-stream': { schema: eventsOf('ConnectionTestEvent') },
      },
    },
  },
});

export const acceptHostKey = defineRoute({
  operationId: 'servers.accept_host_key',
  method: 'put',
  path: '/api/servers/{id}/host-key',
  tags: ['servers'],
  summary: 'Pin a host key instead of the pinned and announced ones',
  description:
    'Only this key is accepted from now on: a refused connection names it as `presented_host_key`. Pooled ' +
    'connections through this server are closed. If a credential is stored, it needs a fresh session (403 ' +
    '`step_up_required`; 422 `credential_required` for an API key).',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: serverIdParam, body: body(HostKeyInput) },
  refuses: [
    'server_not_found',
    'step_up_required',
    'credential_required',
    'server_changed',
    'host_key_revoked',
  ],
  responses: {
    200: json(
      z
        .object({
          pinned: z.string().describe('The fingerprint of the key'),
          cleared: z.string().describe('The fingerprint that was pinned before, or empty'),
        })
        .meta({ id: 'AcceptedHostKey' }),
      'Pinned',
    ),
  },
});

export const clearHostKey = defineRoute({
  operationId: 'servers.clear_host_key',
  method: 'delete',
  path: '/api/servers/{id}/host-key',
  tags: ['servers'],
  summary: 'Clear the pinned host key and the announced ones',
  description:
    'The next connection pins the key that the host presents. Pooled connections through this server ' +
    'are closed. If a credential is stored, it needs a fresh session (403 `step_up_required`; 422 ' +
    '`credential_required` for an API key).',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: serverIdParam },
  refuses: ['server_not_found', 'step_up_required', 'credential_required', 'server_changed'],
  responses: {
    200: json(
      z
        .object({ cleared: z.string().describe('The fingerprint that was pinned, or empty') })
        .meta({ id: 'ClearedHostKey' }),
      'Forgotten',
    ),
  },
});
