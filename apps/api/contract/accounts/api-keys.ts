import { z } from '@hono/zod-openapi';
import { ApiKey, CreatedApiKey, NewApiKey } from '#core/model/accounts/api-key.ts';
import { defineRoute } from '../define.ts';
import { body, json, pathId } from '../shapes.ts';

export const listApiKeys = defineRoute({
  operationId: 'api_keys.list',
  method: 'get',
  path: '/api/auth/api-keys',
  tags: ['api keys'],
  summary: 'List the caller’s API keys',
  description: 'Shows prefix, scopes, expiry and last use of each key, never the key itself.',
  'x-access': 'user',
  'x-scope': 'session',
  responses: { 200: json(z.array(ApiKey), 'Newest first, including expired ones') },
});

export const createApiKey = defineRoute({
  operationId: 'api_keys.create',
  method: 'post',
  path: '/api/auth/api-keys',
  tags: ['api keys'],
  summary: 'Create an API key',
  description:
    'A bearer token for programs. A key can do what its owner can do at the time of the call, within ' +
    'its scopes. It does not work while its owner is disabled or has to change the password.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-fresh': true,
  request: { body: body(NewApiKey) },
  refuses: ['too_many_keys'],
  responses: {
    201: json(CreatedApiKey, 'The key; it is shown only once'),
  },
});

export const revokeApiKey = defineRoute({
  operationId: 'api_keys.revoke',
  method: 'delete',
  path: '/api/auth/api-keys/{key_id}',
  tags: ['api keys'],
  summary: 'Revoke an own API key and end its terminals',
  description: 'The next request with the key is refused, on every instance. Its transfers end, too.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-fresh': true,
  request: { params: z.object({ key_id: pathId }) },
  refuses: ['api_key_not_found'],
  responses: { 204: { description: 'Revoked' } },
});
