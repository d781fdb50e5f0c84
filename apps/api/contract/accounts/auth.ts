import { Ticket } from '#core/model/ticket.ts';
import { Login, LoginResult, PasswordChange, User } from '#core/model/user.ts';
import { defineRoute } from '../define.ts';
import { body, json, refusal } from '../shapes.ts';

export const login = defineRoute({
  operationId: 'auth.login',
  method: 'post',
  path: '/api/auth/login',
  tags: ['auth'],
  summary: 'Sign in',
  description:
    'The token is valid for 24 hours or until its session is ended. For a user with two-factor, without `totp_code`, it is ' +
    'valid for 2 minutes and for `POST /api/auth/totp/verify` alone, and `requires_2fa` is true. After 10 failures in a ' +
    'row the account is locked for a growing time, whatever the address.',
  'x-access': 'public',
  'x-allow': ['demo_write'],
  'x-rate': { name: 'login', limit: 10, window_s: 60, by: 'ip' },
  request: { body: body(Login) },
  responses: {
    200: json(LoginResult, 'Signed in'),
    401: refusal('Invalid credentials, or invalid 2FA code'),
  },
});

export const me = defineRoute({
  operationId: 'auth.me',
  method: 'get',
  path: '/api/auth/me',
  tags: ['auth'],
  summary: 'Who am I',
  'x-access': 'user',
  'x-scope': 'read',
  'x-allow': ['password_change'],
  responses: { 200: json(User, 'The caller') },
});

export const changePassword = defineRoute({
  operationId: 'auth.change_password',
  method: 'post',
  path: '/api/auth/change-password',
  tags: ['auth'],
  summary: 'Change the own password',
  description:
    'Ends the other sessions of the caller and their terminals. `current_password` is checked when sent.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-allow': ['password_change'],
  'x-rate': { name: 'change_password', limit: 5, window_s: 60, by: 'user' },
  request: { body: body(PasswordChange) },
  responses: {
    200: json(User, 'Changed'),
    400: refusal('The current password is wrong'),
    409: refusal('The directory keeps the password of this account'),
  },
});

export const logout = defineRoute({
  operationId: 'auth.logout',
  method: 'post',
  path: '/api/auth/logout',
  tags: ['auth'],
  summary: 'End this session and its terminals',
  'x-access': 'user',
  'x-scope': 'session',
  responses: { 204: { description: 'Signed out' } },
});

export const socketTicket = defineRoute({
  operationId: 'auth.ws_ticket',
  method: 'post',
  path: '/api/auth/ws-ticket',
  tags: ['auth'],
  summary: 'A ticket that opens one WebSocket',
  description: 'Valid for 30 seconds and for one use, as the `ticket` query parameter.',
  'x-access': 'user',
  'x-scope': 'terminal',
  responses: { 200: json(Ticket, 'The ticket') },
});
