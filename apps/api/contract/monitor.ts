import { z } from '@hono/zod-openapi';
import { ServerStatus, ServerStatuses } from '#core/model/hosts/server-status.ts';
import { defineRoute } from './define.ts';
import { eventStream, json, serverIdParam } from './shapes.ts';

export const serverStatuses = defineRoute({
  operationId: 'servers.statuses',
  method: 'get',
  path: '/api/servers/status',
  tags: ['servers'],
  summary: 'Statuses of the servers that the caller may reach',
  description: 'The same on every instance. A server that was never checked is `unchecked`.',
  'x-access': 'user',
  'x-scope': 'read',
  responses: { 200: json(ServerStatuses, 'By server id') },
});

export const serverStatus = defineRoute({
  operationId: 'servers.status',
  method: 'get',
  path: '/api/servers/{id}/status',
  tags: ['servers'],
  summary: 'Status of one server',
  description:
    'As of the last check by the monitor, which may be some time ago: see `last_checked`. To check now, use `servers.test`.',
  'x-access': 'user',
  'x-scope': 'read',
  request: { params: serverIdParam },
  refuses: ['server_not_found'],
  responses: {
    200: json(ServerStatus, 'The status'),
  },
});

export const serverEvents = defineRoute({
  operationId: 'servers.events',
  'x-turn': 'own',
  method: 'get',
  path: '/api/servers/events',
  tags: ['servers'],
  summary: 'Stream statuses as they change (server-sent events)',
  description:
    'Each event is named `status` and contains a JSON object as in `GET /api/servers/status`: first ' +
    'all servers that the caller may reach, then, within about a second, those that were checked or ' +
    'changed. After a change of the caller’s groups, all are sent again. The stream ends when the ' +
    'session or API key ends. A comment every 5 s keeps the connection alive.',
  'x-access': 'user',
  'x-scope': 'read',
  refuses: ['too_many_streams', 'shutting_down'],
  responses: {
    200: eventStream(z.string(), 'Until the client disconnects'),
  },
});
