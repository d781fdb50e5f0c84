import { z } from '@hono/zod-openapi';
import { ServerStatus, ServerStatuses } from '#core/model/server-status.ts';
import { defineRoute } from './define.ts';
import { eventStream, json, refusal, serverIdParam } from './shapes.ts';

export const serverStatuses = defineRoute({
  operationId: 'servers.statuses',
  method: 'get',
  path: '/api/servers/status',
  tags: ['servers'],
  summary: 'What the monitor knows of the servers that the caller may reach',
  description: 'The same on every instance. A server that was never looked at is `unchecked`.',
  'x-access': 'user',
  'x-scope': 'read',
  responses: { 200: json(ServerStatuses, 'Keyed by the server’s id') },
});

export const serverStatus = defineRoute({
  operationId: 'servers.status',
  method: 'get',
  path: '/api/servers/{id}/status',
  tags: ['servers'],
  summary: 'What the monitor knows of one server',
  'x-access': 'user',
  'x-scope': 'read',
  request: { params: serverIdParam },
  responses: {
    200: json(ServerStatus, 'Its status'),
    404: refusal('Unknown, or outside the caller’s groups'),
  },
});

export const serverEvents = defineRoute({
  operationId: 'servers.events',
  method: 'get',
  path: '/api/servers/events',
  tags: ['servers'],
  summary: 'Statuses as they change (server-sent events)',
  description:
    'Each event is named `status` and holds a JSON object like that of `GET /api/servers/status`: first all that the ' +
    'caller may reach, then, within about a second, those that were checked or changed. After a change of the caller’s ' +
    'groups all come again. Ends when the sign-in or key ends. A comment every 5 s tells that it is still there.',
  'x-access': 'user',
  'x-scope': 'read',
  responses: {
    200: eventStream(z.string(), 'Until the caller goes'),
    429: refusal('Too many streams of this user'),
  },
});
