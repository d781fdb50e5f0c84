import { CodeInput, RecoveryCodes, TotpSetup, TotpState, TotpVerified } from '#core/model/second-factor.ts';
import { defineRoute } from '../define.ts';
import { body, json, refusal } from '../shapes.ts';

const rate = { name: 'totp', limit: 10, window_s: 60, by: 'user' } as const;
const wrongCode = refusal('Invalid 2FA code');

export const totpState = defineRoute({
  operationId: 'totp.get',
  method: 'get',
  path: '/api/auth/totp',
  tags: ['two-factor'],
  summary: 'Get the two-factor state and the number of recovery codes left',
  'x-access': 'user',
  'x-scope': 'session',
  responses: { 200: json(TotpState, 'The state') },
});

export const setUpTotp = defineRoute({
  operationId: 'totp.set_up',
  method: 'post',
  path: '/api/auth/totp/setup',
  tags: ['two-factor'],
  summary: 'Start setting up two-factor',
  description:
    'Returns a new secret: TOTP (RFC 6238), SHA-1, 6 digits, 30 s. It takes effect when `POST ' +
    '/api/auth/totp/verify` receives the first code.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-fresh': true,
  responses: { 200: json(TotpSetup, 'The secret'), 409: refusal('Already enabled') },
});

export const verifyTotp = defineRoute({
  operationId: 'totp.verify',
  'x-while-full': true,
  method: 'post',
  path: '/api/auth/totp/verify',
  tags: ['two-factor'],
  summary: 'Verify a two-factor code',
  description:
    'With a `pending_2fa` token: completes the sign-in with a code or a recovery code; five wrong ' +
    'codes end that token. With a session token: completes the setup and returns the recovery codes. ' +
    'A code is accepted once, and may be at most one 30 s step early or late.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-fresh': true,
  'x-allow': ['pending_2fa', 'demo_write'],
  'x-rate': rate,
  request: { body: body(CodeInput) },
  responses: {
    200: json(TotpVerified, 'Signed in, or enabled'),
    401: wrongCode,
    409: refusal('No setup is pending, or it is already complete'),
  },
});

export const renewRecoveryCodes = defineRoute({
  operationId: 'totp.renew_recovery_codes',
  method: 'post',
  path: '/api/auth/totp/recovery-codes',
  tags: ['two-factor'],
  summary: 'Create ten new recovery codes; the old ones stop working',
  'x-access': 'user',
  'x-scope': 'session',
  'x-fresh': true,
  'x-rate': rate,
  request: { body: body(CodeInput) },
  responses: {
    200: json(RecoveryCodes, 'The codes'),
    401: wrongCode,
    409: refusal('Two-factor is not set up'),
  },
});

export const disableTotp = defineRoute({
  operationId: 'totp.disable',
  'x-while-full': true,
  method: 'post',
  path: '/api/auth/totp/disable',
  tags: ['two-factor'],
  summary: 'Disable two-factor',
  'x-access': 'user',
  'x-scope': 'session',
  'x-fresh': true,
  'x-rate': rate,
  request: { body: body(CodeInput) },
  responses: {
    200: json(TotpState, 'Off'),
    401: wrongCode,
    409: refusal('Two-factor is not set up'),
  },
});
