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
  summary: 'Whether two-factor is on, and how many recovery codes are left',
  'x-access': 'user',
  'x-scope': 'session',
  responses: { 200: json(TotpState, 'The state') },
});

export const setUpTotp = defineRoute({
  operationId: 'totp.set_up',
  method: 'post',
  path: '/api/auth/totp/setup',
  tags: ['two-factor'],
  summary: 'Begin to set up two-factor',
  description:
    'A new secret: TOTP (RFC 6238), SHA-1, 6 digits, 30 s. It counts once `POST /api/auth/totp/verify` has had its first code.',
  'x-access': 'user',
  'x-scope': 'session',
  responses: { 200: json(TotpSetup, 'The secret'), 409: refusal('Already enabled') },
});

export const verifyTotp = defineRoute({
  operationId: 'totp.verify',
  method: 'post',
  path: '/api/auth/totp/verify',
  tags: ['two-factor'],
  summary: 'Prove the second factor',
  description:
    'With a `pending_2fa` token: completes the sign-in, by a code or a recovery code; five wrong codes end that token. ' +
    'With a session token: completes the set-up and gives the recovery codes. A code is accepted once, and within ' +
    'one step of 30 s of the right time.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-allow': ['pending_2fa', 'demo_write'],
  'x-rate': rate,
  request: { body: body(CodeInput) },
  responses: {
    200: json(TotpVerified, 'Signed in, or enabled'),
    401: wrongCode,
    409: refusal('There is no set-up to complete, or it is completed already'),
  },
});

export const renewRecoveryCodes = defineRoute({
  operationId: 'totp.renew_recovery_codes',
  method: 'post',
  path: '/api/auth/totp/recovery-codes',
  tags: ['two-factor'],
  summary: 'Ten new recovery codes; the old ones end',
  'x-access': 'user',
  'x-scope': 'session',
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
  method: 'post',
  path: '/api/auth/totp/disable',
  tags: ['two-factor'],
  summary: 'Switch two-factor off',
  'x-access': 'user',
  'x-scope': 'session',
  'x-rate': rate,
  request: { body: body(CodeInput) },
  responses: {
    200: json(TotpState, 'Off'),
    401: wrongCode,
    409: refusal('Two-factor is not set up'),
  },
});
