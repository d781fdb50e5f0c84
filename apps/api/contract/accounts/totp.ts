import {
  CodeInput,
  RecoveryCodes,
  TotpSetup,
  TotpState,
  TotpVerified,
} from '#core/model/accounts/second-factor.ts';
import { defineRoute } from '../define.ts';
import { body, json } from '../shapes.ts';

const rate = { name: 'totp', limit: 10, window_s: 60, by: 'user' } as const;

export const totpState = defineRoute({
  operationId: 'totp.get',
  method: 'get',
  path: '/api/auth/totp',
  tags: ['two-factor'],
  summary: 'Get the two-factor state and the number of recovery codes left',
  description: 'Contains neither the secret nor the codes.',
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
  refuses: ['totp_already_enabled'],
  responses: { 200: json(TotpSetup, 'The secret') },
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
  refuses: ['invalid_2fa_code', 'totp_not_set_up', 'totp_already_enabled', 'account_locked'],
  responses: {
    200: json(TotpVerified, 'Signed in, or enabled'),
  },
});

export const renewRecoveryCodes = defineRoute({
  operationId: 'totp.renew_recovery_codes',
  method: 'post',
  path: '/api/auth/totp/recovery-codes',
  tags: ['two-factor'],
  summary: 'Create ten new recovery codes; the old ones stop working',
  description:
    'Wants a current code. The new codes are shown only once; each works once, wherever a code does.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-fresh': true,
  'x-rate': rate,
  request: { body: body(CodeInput) },
  refuses: ['invalid_2fa_code', 'totp_not_set_up', 'account_locked'],
  responses: {
    200: json(RecoveryCodes, 'The codes'),
  },
});

export const disableTotp = defineRoute({
  operationId: 'totp.disable',
  'x-while-full': true,
  method: 'post',
  path: '/api/auth/totp/disable',
  tags: ['two-factor'],
  summary: 'Disable two-factor',
  description: 'Wants a current code or a recovery code. The secret and the recovery codes are deleted.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-fresh': true,
  'x-rate': rate,
  request: { body: body(CodeInput) },
  refuses: ['invalid_2fa_code', 'totp_not_set_up', 'account_locked'],
  responses: {
    200: json(TotpState, 'Off'),
  },
});
