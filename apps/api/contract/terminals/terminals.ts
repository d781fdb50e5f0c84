import { z } from '@hono/zod-openapi';
import { MAX_DIALS_PER_MINUTE, MAX_PENDING_DIALS } from '#core/model/limits.ts';
import { HostKeyInput } from '#core/model/server.ts';
import {
  QuickHostKey,
  Share,
  ShareInput,
  ShareMode,
  TERMINAL_SUBPROTOCOL,
  TerminalSession,
} from '#core/model/terminal.ts';
import { defineRoute } from '../define.ts';
import { body, json, page, paging, pathId, refusal, textId } from '../shapes.ts';

const size = z.coerce
  .number()
  .int()
  .min(1)
  .optional()
  .describe('Opens the terminal at once, without an `open` frame');

const credentials = {
  ticket: z.string().max(100).optional(),
  token: z.string().max(4096).optional(),
};

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
  `Subprotocol \`${TERMINAL_SUBPROTOCOL}\`. Binary frames are terminal bytes, text frames are JSON control ` +
  'frames: `TerminalClientFrame` and `TerminalGatewayFrame`. Authenticate with a `ticket`, the ' +
  '`Authorization` header, or a `token`. The upgrade is always accepted; the close code says why the ' +
  'socket ended: 1000 the shell ended, 4001 not authenticated or refused by a gate, 4003 not ' +
  'permitted here (SSH disabled, quick connect disabled or to an address that is not allowed), 4004 ' +
  'unknown, 4008 too many, 4009 ended by somebody else or by a change of rights, 4010 idle timeout, ' +
  '4011 the keeper that ran the shell has ended, ' +
  '1008 bad frame, 1011 SSH failed, 1012 the gateway is shutting down (with the error ' +
  '`gateway_restarting`, the shell keeps running: resume it; with `relay_stopped`, only an ' +
  'instance that relays the terminal: resume it), 1013 try again. An `Origin` ' +
  'that is not allowed gets 403. Only a close with 1000 by the client ends the shell; after any ' +
  'other end it can be resumed.';

export const quickSocket = defineRoute({
  operationId: 'terminals.quick',
  'x-while-full': false, // each adds an audit entry
  method: 'get',
  path: '/api/ws/terminal/quick',
  tags: ['terminals'],
  summary: 'Open a shell on a host that is not registered (WebSocket)',
  description:
    'The first frame is a `TerminalQuickOpenFrame`, within 10 s; its content is not stored. The host key is pinned ' +
    'for this user and address. Loopback, link-local, multicast, unspecified and cloud metadata addresses are refused ' +
    `unless \`SERVICE_ALLOWED_TARGETS\` lists them. A user can have ${MAX_PENDING_DIALS} in progress and start ` +
    `${MAX_DIALS_PER_MINUTE} a minute (4008). ${ABOUT_SOCKETS}`,
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
  summary: 'Join a shared session (WebSocket)',
  description: `Sends a \`joined\` frame, the current screen, then live output. ${ABOUT_SOCKETS}`,
  ...socketPolicy,
  request: {
    params: z.object({ token: textId }),
    query: z.object({
      ...credentials,
      mode: ShareMode.default('rw').describe('At most the mode of the share'),
    }),
  },
  responses: socketResponses,
});

export const resumeSocket = defineRoute({
  operationId: 'terminals.resume',
  method: 'get',
  path: '/api/ws/terminal/resume/{session_id}',
  tags: ['terminals'],
  summary: 'Resume an own session (WebSocket)',
  description:
    'Sends exactly the output after `offset`. Without it, or if that output is no longer available, the current screen is ' +
    `sent first. The previous socket is closed with \`terminal_taken_over\` (4009). ${ABOUT_SOCKETS}`,
  ...socketPolicy,
  'x-embed': { kind: 'terminal' },
  request: {
    params: z.object({ session_id: textId }),
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
  summary: 'Watch a live session (WebSocket)',
  description: `For administrators. Read-only, visible to the owner, and audited. ${ABOUT_SOCKETS}`,
  ...socketPolicy,
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: z.object({ session_id: textId }), query: z.object(credentials) },
  responses: socketResponses,
});

export const terminalSocket = defineRoute({
  operationId: 'terminals.open',
  'x-while-full': false, // each adds an audit entry
  method: 'get',
  path: '/api/ws/terminal/{server_id}',
  tags: ['terminals'],
  summary: 'Open a shell on a registered server (WebSocket)',
  description: ABOUT_SOCKETS,
  ...socketPolicy,
  'x-embed': { kind: 'terminal' },
  request: {
    params: z.object({ server_id: pathId }),
    query: z.object({ ...credentials, cols: size, rows: size }),
  },
  responses: socketResponses,
});

const unknown = refusal('Unknown, or owned by somebody else');

export const listTerminals = defineRoute({
  operationId: 'terminals.list',
  method: 'get',
  path: '/api/terminal/sessions',
  tags: ['terminals'],
  summary: 'List live sessions: the caller’s own, or everybody’s for administrators',
  'x-access': 'user',
  'x-scope': 'read',
  request: { query: paging },
  responses: { 200: page(TerminalSession, 'Newest first') },
});

export const endTerminal = defineRoute({
  operationId: 'terminals.end',
  method: 'delete',
  path: '/api/terminal/sessions/{session_id}',
  tags: ['terminals'],
  summary: 'End an own session, or anybody’s as an administrator',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: z.object({ session_id: textId }) },
  responses: { 204: { description: 'Ended' }, 404: unknown },
});

export const shareTerminal = defineRoute({
  operationId: 'terminals.share',
  method: 'post',
  path: '/api/terminal/share/{session_id}',
  tags: ['terminals'],
  summary: 'Share an own session',
  description:
    'While a share is active, its token is returned again with the new mode and expiry. Guests need ' +
    'no access to the server’s group. They are disconnected when the share expires or is revoked.',
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-allow': ['demo_write'],
  request: {
    params: z.object({ session_id: textId }),
    body: { required: false, content: { 'application/json': { schema: ShareInput } } },
  },
  responses: {
    200: json(Share, 'The share'),
    403: refusal('Only the owner can share a session'),
    404: refusal('Unknown session'),
  },
});

export const unshareTerminal = defineRoute({
  operationId: 'terminals.unshare',
  method: 'delete',
  path: '/api/terminal/share/{session_id}',
  tags: ['terminals'],
  summary: 'Revoke a share and disconnect its guests',
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-allow': ['demo_write'],
  request: { params: z.object({ session_id: textId }) },
  responses: {
    204: { description: 'Revoked' },
    403: refusal('Only the owner can revoke a share'),
    404: refusal('Unknown session'),
  },
});

export const listQuickHostKeys = defineRoute({
  operationId: 'terminals.host_keys',
  method: 'get',
  path: '/api/terminal/host-keys',
  tags: ['terminals'],
  summary: 'List host keys pinned by the caller’s quick connections',
  'x-access': 'user',
  'x-scope': 'read',
  responses: { 200: json(z.array(QuickHostKey), 'By address') },
});

export const acceptQuickHostKey = defineRoute({
  operationId: 'terminals.accept_host_key',
  method: 'put',
  path: '/api/terminal/host-keys/{id}',
  tags: ['terminals'],
  summary: 'Pin a host key instead of the pinned one',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: z.object({ id: pathId }), body: body(HostKeyInput) },
  responses: { 200: json(QuickHostKey, 'Pinned'), 404: unknown },
});

export const forgetQuickHostKey = defineRoute({
  operationId: 'terminals.forget_host_key',
  method: 'delete',
  path: '/api/terminal/host-keys/{id}',
  tags: ['terminals'],
  summary: 'Forget a pinned host key; the next connection pins a new one',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: z.object({ id: pathId }) },
  responses: { 204: { description: 'Forgotten' }, 404: unknown },
});
