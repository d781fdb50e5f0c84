import { z } from '@hono/zod-openapi';
import { QuickHostKey, Share, ShareInput, ShareMode, TerminalSession } from '#core/model/terminal.ts';
import { defineRoute } from '../define.ts';
import { json, page, paging, pathId, refusal } from '../shapes.ts';

const size = z.coerce.number().int().min(1).optional().describe('Opens at once, without an `open` frame');

const credentials = {
  ticket: z.string().max(100).optional(),
  token: z.string().max(4096).optional(),
};

const sessionId = z.string().regex(/^[\w-]{1,64}$/);

const socketResponses = {
  101: { description: 'Switched to WebSocket' },
  426: { description: 'Not a WebSocket request' },
};

const socketPolicy = {
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-ticket': 'socket',
  'x-allow': ['token_in_query'],
  'x-websocket': true,
} as const;

const ABOUT_SOCKETS =
  'Subprotocol `sallyport.v1`. Binary frames are terminal bytes, text frames are JSON control frames: ' +
  '`TerminalClientFrame` and `TerminalGatewayFrame`. Authentication: a `ticket`, the `Authorization` header, or a ' +
  '`token`. The upgrade is accepted and then closed with a code: 1000 the shell ended, 4001 not authenticated or a ' +
  'gate refused, 4003 not permitted here (SSH disabled, quick connect disabled or to an address that is not allowed), ' +
  '4004 unknown, 4008 too many, 4009 ended by others or by a change of rights, 4010 nothing happened for too long, 1008 ' +
  'bad frame, 1011 SSH failed, 1012 the gateway is shutting down, 1013 try again. An `Origin` that is not allowed is ' +
  'answered 403. Only a close with 1000 by the client ends the shell; after any other end it can be resumed.';

export const quickSocket = defineRoute({
  operationId: 'terminals.quick',
  method: 'get',
  path: '/api/ws/terminal/quick',
  tags: ['terminals'],
  summary: 'A shell on a host that is not registered (WebSocket)',
  description:
    'The first frame is a `TerminalQuickOpenFrame`, within 10 s; what it holds is not stored. The host’s key is pinned ' +
    `for this user and address. ${ABOUT_SOCKETS}`,
  ...socketPolicy,
  'x-deny': ['demo'],
  request: { query: z.object(credentials) },
  responses: socketResponses,
});

export const joinSocket = defineRoute({
  operationId: 'terminals.join',
  method: 'get',
  path: '/api/ws/terminal/join/{token}',
  tags: ['terminals'],
  summary: 'Take part in a shared session (WebSocket)',
  description: `A \`joined\` frame, then the present screen, then what comes. ${ABOUT_SOCKETS}`,
  ...socketPolicy,
  request: {
    params: z.object({ token: sessionId }),
    query: z.object({
      ...credentials,
      mode: ShareMode.default('rw').describe('No more than the share’s own mode'),
    }),
  },
  responses: socketResponses,
});

export const resumeSocket = defineRoute({
  operationId: 'terminals.resume',
  method: 'get',
  path: '/api/ws/terminal/resume/{session_id}',
  tags: ['terminals'],
  summary: 'Go on with an own session (WebSocket)',
  description:
    'From `offset` on, exactly what was missed. Without it, or when that is not kept any more, the present screen comes ' +
    `first. Whoever was attached before is told \`terminal_taken_over\` (4009). ${ABOUT_SOCKETS}`,
  ...socketPolicy,
  request: {
    params: z.object({ session_id: sessionId }),
    query: z.object({
      ...credentials,
      offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
      cols: size,
      rows: size,
    }),
  },
  responses: socketResponses,
});

export const watchSocket = defineRoute({
  operationId: 'terminals.watch',
  method: 'get',
  path: '/api/ws/terminal/watch/{session_id}',
  tags: ['terminals'],
  summary: 'Look on at a live session (WebSocket)',
  description: `For administrators; read-only, shown to the owner and audited. ${ABOUT_SOCKETS}`,
  ...socketPolicy,
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: z.object({ session_id: sessionId }), query: z.object(credentials) },
  responses: socketResponses,
});

export const terminalSocket = defineRoute({
  operationId: 'terminals.open',
  method: 'get',
  path: '/api/ws/terminal/{server_id}',
  tags: ['terminals'],
  summary: 'A shell on a registered server (WebSocket)',
  description: ABOUT_SOCKETS,
  ...socketPolicy,
  request: {
    params: z.object({ server_id: pathId }),
    query: z.object({ ...credentials, cols: size, rows: size }),
  },
  responses: socketResponses,
});

const unknown = refusal('Unknown, or somebody else’s');

export const listTerminals = defineRoute({
  operationId: 'terminals.list',
  method: 'get',
  path: '/api/terminal/sessions',
  tags: ['terminals'],
  summary: 'Live sessions: the own ones; of everybody for administrators',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { query: paging },
  responses: { 200: page(TerminalSession, 'The newest first') },
});

export const endTerminal = defineRoute({
  operationId: 'terminals.end',
  method: 'delete',
  path: '/api/terminal/sessions/{session_id}',
  tags: ['terminals'],
  summary: 'End a session: an own one, or as an administrator anybody’s',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: z.object({ session_id: sessionId }) },
  responses: { 204: { description: 'Ended' }, 404: unknown },
});

export const shareTerminal = defineRoute({
  operationId: 'terminals.share',
  method: 'post',
  path: '/api/terminal/share/{session_id}',
  tags: ['terminals'],
  summary: 'Share an own session',
  description:
    'While a share is active its token is returned again, with the mode and expiry given now. Joiners need no access to ' +
    'the server’s group. When it expires or is revoked, they are detached.',
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-allow': ['demo_write'],
  request: {
    params: z.object({ session_id: sessionId }),
    body: { required: false, content: { 'application/json': { schema: ShareInput } } },
  },
  responses: {
    200: json(Share, 'The share'),
    403: refusal('Only whose session it is may share it'),
    404: refusal('Unknown session'),
  },
});

export const unshareTerminal = defineRoute({
  operationId: 'terminals.unshare',
  method: 'delete',
  path: '/api/terminal/share/{session_id}',
  tags: ['terminals'],
  summary: 'End a share and detach its joiners',
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-allow': ['demo_write'],
  request: { params: z.object({ session_id: sessionId }) },
  responses: {
    204: { description: 'Nobody is in by it any more' },
    403: refusal('Only whose session it is may do so'),
    404: refusal('Unknown session'),
  },
});

export const listQuickHostKeys = defineRoute({
  operationId: 'terminals.host_keys',
  method: 'get',
  path: '/api/terminal/host-keys',
  tags: ['terminals'],
  summary: 'Host keys that were pinned by the caller’s own quick connections',
  'x-access': 'user',
  'x-scope': 'terminal',
  responses: { 200: json(z.array(QuickHostKey), 'By address') },
});

export const forgetQuickHostKey = defineRoute({
  operationId: 'terminals.forget_host_key',
  method: 'delete',
  path: '/api/terminal/host-keys/{id}',
  tags: ['terminals'],
  summary: 'Forget a pinned key: the next connection pins anew',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: z.object({ id: pathId }) },
  responses: { 204: { description: 'Forgotten' }, 404: unknown },
});
