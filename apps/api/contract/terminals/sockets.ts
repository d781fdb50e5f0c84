import { z } from '@hono/zod-openapi';
import { MAX_DIALS_PER_MINUTE, MAX_PENDING_DIALS } from '#core/limits.ts';
import { ShareMode, TERMINAL_SUBPROTOCOL } from '#core/model/terminal.ts';
import { defineRoute } from '../define.ts';
import { REACH_REFUSALS } from '../hosts/reach.ts';
import { pathId, textId } from '../shapes.ts';

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

const clientId = {
  client_id: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .describe(
      'A random name that a client keeps over its sockets. The gateway then counts the input that the shell has been ' +
        'given from this client: `input_bytes` in `session` and `pong`',
    ),
};

const socketResponses = switched('TerminalClientFrame');
const quickResponses = switched('TerminalClientFrame', 'TerminalQuickOpenFrame');

/** Describes the text frames of both directions. The type hides them from handlers, because they are not a body. */
function switched(...from_client: readonly string[]): { 101: { description: string } } {
  const frames = [...from_client, 'TerminalGatewayFrame'];
  const schema = {
    description: 'Text frames: `TerminalGatewayFrame` from the gateway, the others from the client',
    anyOf: frames.map((name) => ({ $ref: `#/components/schemas/${name}` })),
  };
  const response = { description: 'Switched to WebSocket', content: { 'application/json': { schema } } };
  return { 101: response };
}

/** What may end any socket. */
const SOCKET_REFUSALS = [
  'bad_frame',
  'terminal_ended',
  'terminal_taken_over',
  'idle_timeout',
  'recording_failed',
  'shutting_down',
  'gateway_restarting',
  'keeper_lost',
  'worker_unreachable',
  'database_unavailable',
  'internal',
] as const;

/** What may go wrong between instances. */
const RELAY_REFUSALS = ['instance_unreachable', 'relay_stopped'] as const;

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
  'x-turn': 'own',
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
  request: { query: z.object({ ...credentials, ...clientId }) },
  refuses: [
    ...SOCKET_REFUSALS,
    'bad_first_message',
    'quick_connect_disabled',
    'target_not_allowed',
    'too_many_dials',
    'too_many_sessions',
    'shell_refused',
    'keeper_outdated',
    ...REACH_REFUSALS,
  ],
  responses: quickResponses,
});

export const joinSocket = defineRoute({
  operationId: 'terminals.join',
  'x-turn': 'own',
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
  refuses: [
    ...SOCKET_REFUSALS,
    ...RELAY_REFUSALS,
    'share_not_found',
    'share_ended',
    'terminal_full',
    'too_many_sessions',
  ],
  responses: socketResponses,
});

export const resumeSocket = defineRoute({
  operationId: 'terminals.resume',
  'x-turn': 'own',
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
      ...clientId,
      take_over: z
        .enum(['true', 'false'])
        .default('true')
        .describe('If false, refuse with `terminal_in_use` (4009) while another client has the terminal'),
    }),
  },
  refuses: [...SOCKET_REFUSALS, ...RELAY_REFUSALS, 'session_not_found', 'terminal_in_use'],
  responses: socketResponses,
});

export const watchSocket = defineRoute({
  operationId: 'terminals.watch',
  'x-turn': 'own',
  method: 'get',
  path: '/api/ws/terminal/watch/{session_id}',
  tags: ['terminals'],
  summary: 'Watch a live session (WebSocket)',
  description: `For administrators. Read-only, visible to the owner, and audited. ${ABOUT_SOCKETS}`,
  ...socketPolicy,
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: z.object({ session_id: textId }), query: z.object(credentials) },
  refuses: [...SOCKET_REFUSALS, ...RELAY_REFUSALS, 'session_not_found', 'terminal_full', 'too_many_sessions'],
  responses: socketResponses,
});

export const terminalSocket = defineRoute({
  operationId: 'terminals.open',
  'x-turn': 'own',
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
    query: z.object({ ...credentials, ...clientId, cols: size, rows: size }),
  },
  refuses: [
    ...SOCKET_REFUSALS,
    'server_not_found',
    'ssh_disabled',
    'bad_first_message',
    'too_many_sessions',
    'shell_refused',
    'keeper_outdated',
    ...REACH_REFUSALS,
  ],
  responses: socketResponses,
});
