import { z } from '@hono/zod-openapi';
import { WebSession } from '#core/model/accounts/web-session.ts';
import { defineRoute } from '../define.ts';
import { json, page, paging, textId, userIdParam } from '../shapes.ts';

export const listSessions = defineRoute({
  operationId: 'sessions.list',
  method: 'get',
  path: '/api/auth/sessions',
  tags: ['sessions'],
  summary: 'List the caller’s active sessions',
  description: 'Each sign-in is one session. `current` marks the one that sends this request.',
  'x-access': 'user',
  'x-scope': 'session',
  request: { query: paging },
  responses: { 200: page(WebSession, 'Last seen first') },
});

export const endSession = defineRoute({
  operationId: 'sessions.end',
  method: 'delete',
  path: '/api/auth/sessions/{session_id}',
  tags: ['sessions'],
  summary: 'End an own session and its terminals',
  description: 'Its token is refused from now on, on every instance, and its transfers end.',
  'x-access': 'user',
  'x-scope': 'session',
  request: { params: z.object({ session_id: textId }) },
  refuses: ['session_not_found'],
  responses: { 204: { description: 'Ended' } },
});

export const endSessions = defineRoute({
  operationId: 'sessions.end_all',
  method: 'delete',
  path: '/api/auth/sessions',
  tags: ['sessions'],
  summary: 'Sign out everywhere',
  description: 'Ends all sessions of the caller and their terminals. API keys keep working.',
  'x-access': 'user',
  'x-scope': 'session',
  request: {
    query: z.object({
      keep_current: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to keep the session that sends this request'),
    }),
  },
  responses: { 204: { description: 'Signed out' } },
});

export const listUserSessions = defineRoute({
  operationId: 'users.sessions',
  method: 'get',
  path: '/api/auth/users/{user_id}/sessions',
  tags: ['users'],
  summary: 'List a user’s active sessions',
  description: 'With the address, the browser and the last use of each.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: userIdParam },
  refuses: ['user_not_found', 'session_required'], // an API key of the same user
  responses: { 200: json(z.array(WebSession), 'Last seen first') },
});

export const endUserSessions = defineRoute({
  operationId: 'users.end_sessions',
  method: 'delete',
  path: '/api/auth/users/{user_id}/sessions',
  tags: ['users'],
  summary: 'Sign a user out everywhere',
  description:
    'Ends all sessions and their terminals. API keys keep working, and the user can sign in again.',
  'x-access': 'admin',
  'x-scope': 'session',
  'x-fresh': true,
  request: { params: userIdParam },
  refuses: ['user_not_found'],
  responses: { 204: { description: 'Signed out' } },
});
