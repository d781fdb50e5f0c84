import { Ticket } from '#core/model/accounts/ticket.ts';
import { Fresh, Login, LoginResult, PasswordChange, StepUpInput, User } from '#core/model/accounts/user.ts';
import { defineRoute } from '../define.ts';
import { body, json } from '../shapes.ts';

const signInRate = { name: 'login', limit: 10, window_s: 60, by: 'ip' } as const;

export const login = defineRoute({
  operationId: 'auth.login',
  'x-while-full': true,
  method: 'post',
  path: '/api/auth/login',
  tags: ['auth'],
  summary: 'Sign in',
  description:
    'The token is valid for 24 hours or until its session ends. If the user has two-factor enabled ' +
    'and `totp_code` is absent, the token is valid for 2 minutes and only for `POST ' +
    '/api/auth/totp/verify`, and `requires_2fa` is true. After 10 failures in a row, the account is ' +
    'locked for a growing time, from every address.',
  'x-access': 'public',
  'x-allow': ['demo_write'],
  'x-rate': signInRate,
  request: { body: body(Login) },
  refuses: [
    'invalid_credentials',
    'invalid_2fa_code',
    'account_locked',
    'overloaded',
    'directory_unavailable',
    'directory_password_expired',
  ],
  responses: {
    200: json(LoginResult, 'Signed in'),
  },
});

export const stepUp = defineRoute({
  operationId: 'auth.step_up',
  'x-while-full': true,
  method: 'post',
  path: '/api/auth/step-up',
  tags: ['auth'],
  summary: 'Confirm who holds this session',
  description:
    'A session is fresh for a while after its sign-in (`SERVICE_STEP_UP_SECONDS`), and again after this. ' +
    'Operations with `x-fresh` refuse a stale session with 403 `step_up_required`. With two-factor ' +
    'enabled, both the password and a code are required. Failures count like failed sign-ins.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-rate': signInRate,
  request: { body: body(StepUpInput) },
  refuses: [
    'invalid_credentials',
    'invalid_2fa_code',
    'account_locked',
    'overloaded',
    'directory_unavailable',
    'directory_password_expired',
  ],
  responses: {
    200: json(Fresh, 'This session is fresh; others of the same user are not'),
  },
});

export const me = defineRoute({
  operationId: 'auth.me',
  method: 'get',
  path: '/api/auth/me',
  tags: ['auth'],
  summary: 'Get the caller',
  description:
    'With an API key, this is the owner of the key. It also answers while a password change is due.',
  'x-access': 'user',
  'x-scope': 'read',
  'x-allow': ['password_change'],
  responses: { 200: json(User, 'The caller') },
});

export const changePassword = defineRoute({
  operationId: 'auth.change_password',
  'x-while-full': true,
  method: 'post',
  path: '/api/auth/change-password',
  tags: ['auth'],
  summary: 'Change the caller’s password',
  description:
    'Ends the caller’s other sessions and their terminals. `current_password` is required, with 403 ' +
    '`step_up_required`, unless the session is fresh, also where the change is forced. It is checked whenever ' +
    'it is sent, and a wrong one counts like a failed sign-in.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-allow': ['password_change'],
  'x-rate': { name: 'change_password', limit: 5, window_s: 60, by: 'user' },
  request: { body: body(PasswordChange) },
  refuses: ['wrong_password', 'step_up_required', 'directory_account', 'account_locked', 'overloaded'],
  responses: {
    200: json(User, 'Changed'),
  },
});

export const logout = defineRoute({
  operationId: 'auth.logout',
  'x-while-full': true,
  method: 'post',
  path: '/api/auth/logout',
  tags: ['auth'],
  summary: 'End this session and its terminals',
  description: 'Revokes the token at once, on every instance. Other sessions and API keys keep working.',
  'x-access': 'user',
  'x-scope': 'session',
  responses: { 204: { description: 'Signed out' } },
});

export const socketTicket = defineRoute({
  operationId: 'auth.ws_ticket',
  method: 'post',
  path: '/api/auth/ws-ticket',
  tags: ['auth'],
  summary: 'Create a ticket for one WebSocket',
  description: 'Valid for 30 seconds and one use, as the query parameter `ticket`.',
  'x-access': 'user',
  'x-scope': 'terminal',
  'x-embed': { kind: 'terminal' },
  responses: { 200: json(Ticket, 'The ticket') },
});
