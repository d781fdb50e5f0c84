import { z } from '@hono/zod-openapi';
import { defineRoute } from './define.ts';
import { pathId } from './shapes.ts';

const size = z.coerce.number().int().min(1).optional().describe('Opens at once, without an `open` frame');

export const terminalSocket = defineRoute({
  operationId: 'terminals.open',
  method: 'get',
  path: '/api/ws/terminal/{server_id}',
  tags: ['terminals'],
  summary: 'A shell on a registered server (WebSocket)',
  description:
    'Subprotocol `sallyport.v1`. Binary frames are terminal bytes, text frames are JSON control frames: ' +
    '`TerminalClientFrame` and `TerminalGatewayFrame`. Authentication: a `ticket`, the `Authorization` header, or a ' +
    '`token`. The upgrade is accepted and then closed with a code: 1000 the shell ended, 4001 not authenticated or a ' +
    'gate refused, 4003 SSH disabled, 4004 unknown server, 4009 ended by others or by a change of rights, 1008 bad ' +
    'frame, 1011 SSH failed, 1012 the gateway is shutting down. An `Origin` that is not allowed is answered 403.',
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-ticket': 'socket',
  'x-allow': ['token_in_query'],
  'x-websocket': true,
  request: {
    params: z.object({ server_id: pathId }),
    query: z.object({
      ticket: z.string().max(100).optional(),
      token: z.string().max(4096).optional(),
      cols: size,
      rows: size,
    }),
  },
  responses: {
    101: { description: 'Switched to WebSocket' },
    426: { description: 'Not a WebSocket request' },
  },
});
