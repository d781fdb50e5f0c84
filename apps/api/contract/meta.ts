import { z } from '@hono/zod-openapi';
import { defineRoute } from './define.ts';
import { json } from './shapes.ts';

const Health = z
  .object({
    status: z.literal('ok'),
    instance_id: z.string(),
    monitor_role: z.enum(['leader', 'follower']).describe('The leader alone checks the servers'),
    host_keys_verified: z.literal(false).optional().describe('There while `SERVICE_VERIFY_HOST_KEYS` is off'),
  })
  .meta({ id: 'Health' });

export const health = defineRoute({
  operationId: 'meta.health',
  method: 'get',
  path: '/api/health',
  tags: ['meta'],
  summary: 'Is this instance up',
  'x-access': 'public',
  responses: { 200: json(Health, 'This instance answers') },
});

const PublicConfig = z
  .object({
    demo_mode: z.boolean(),
    quick_connect: z.literal(false).optional().describe('There while `SERVICE_QUICK_CONNECT` is off'),
    demo_credentials: z
      .object({ username: z.string(), password: z.string() })
      .optional()
      .describe('In demo mode: who anybody may sign in as'),
  })
  .meta({ id: 'PublicConfig' });

export const config = defineRoute({
  operationId: 'meta.config',
  method: 'get',
  path: '/api/config',
  tags: ['meta'],
  summary: 'What the sign-in page needs to know',
  'x-access': 'public',
  responses: {
    200: json(PublicConfig, 'Public configuration'),
  },
});
