import { z } from '@hono/zod-openapi';
import { HostKeyInput } from '#core/model/hosts/server.ts';
import { QuickHostKey, Share, ShareInput, TerminalSession } from '#core/model/terminal.ts';
import { defineRoute } from '../define.ts';
import { body, json, optionalBody, page, paging, pathId, textId } from '../shapes.ts';

export const listTerminals = defineRoute({
  operationId: 'terminals.list',
  method: 'get',
  path: '/api/terminal/sessions',
  tags: ['terminals'],
  summary: 'List live sessions: the caller’s own, or everybody’s for administrators',
  description: 'Sessions of all instances, including those whose socket is broken and that can be resumed.',
  'x-access': 'user',
  'x-scope': 'read',
  request: {
    query: paging.extend({
      own: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to list only the caller’s own, also for administrators'),
    }),
  },
  responses: { 200: page(TerminalSession, 'Newest first') },
});

export const endTerminal = defineRoute({
  operationId: 'terminals.end',
  method: 'delete',
  path: '/api/terminal/sessions/{session_id}',
  tags: ['terminals'],
  summary: 'End an own session, or anybody’s as an administrator',
  description: 'Ends the shell and disconnects every member. The audit log says who did it.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: z.object({ session_id: textId }) },
  refuses: ['session_not_found', 'instance_unreachable'],
  responses: { 204: { description: 'Ended' } },
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
    body: optionalBody(ShareInput),
  },
  refuses: ['not_session_owner', 'session_not_found', 'share_not_found', 'instance_unreachable'],
  responses: {
    200: json(Share, 'The share'),
  },
});

export const unshareTerminal = defineRoute({
  operationId: 'terminals.unshare',
  method: 'delete',
  path: '/api/terminal/share/{session_id}',
  tags: ['terminals'],
  summary: 'Revoke a share and disconnect its guests',
  description:
    'The token never works again; the next share has a new one. Has no effect if the session is not shared.',
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-allow': ['demo_write'],
  request: { params: z.object({ session_id: textId }) },
  refuses: ['not_session_owner', 'session_not_found', 'instance_unreachable'],
  responses: {
    204: { description: 'Revoked' },
  },
});

export const listQuickHostKeys = defineRoute({
  operationId: 'terminals.host_keys',
  method: 'get',
  path: '/api/terminal/host-keys',
  tags: ['terminals'],
  summary: 'List host keys pinned by the caller’s quick connections',
  description:
    'Nobody else sees them or is affected by them. Keys of registered servers are in the server object.',
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
  description:
    'For a host whose key has changed for a good reason. A refused connection names the new key as `presented_host_key`.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: z.object({ id: pathId }), body: body(HostKeyInput) },
  refuses: ['quick_host_key_not_found'],
  responses: { 200: json(QuickHostKey, 'Pinned') },
});

export const forgetQuickHostKey = defineRoute({
  operationId: 'terminals.forget_host_key',
  method: 'delete',
  path: '/api/terminal/host-keys/{id}',
  tags: ['terminals'],
  summary: 'Forget a pinned host key; the next connection pins a new one',
  description:
    'Anybody who can intercept that connection can then present a key of their own: prefer accepting a known key.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params: z.object({ id: pathId }) },
  refuses: ['quick_host_key_not_found'],
  responses: { 204: { description: 'Forgotten' } },
});
