import { z } from '@hono/zod-openapi';
import { defineRoute } from './define.ts';
import { json, refusal } from './shapes.ts';

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

export const ready = defineRoute({
  operationId: 'meta.ready',
  method: 'get',
  path: '/api/health/ready',
  tags: ['meta'],
  summary: 'May this instance be sent requests',
  description: 'For load balancers: the database answers, and the instance is not about to stop.',
  'x-access': 'public',
  responses: {
    200: json(z.object({ status: z.literal('ready') }), 'It may'),
    503: refusal(
      'The database does not answer (`database_unavailable`), or it is stopping (`shutting_down`)',
    ),
  },
});

export const metrics = defineRoute({
  operationId: 'meta.metrics',
  method: 'get',
  path: '/metrics',
  tags: ['meta'],
  summary: 'Metrics in the text format of Prometheus',
  description:
    'For whoever sends `SERVICE_METRICS_TOKEN`, or the token of an administrator (an API key with the scope `admin`), as a bearer token.',
  'x-access': 'admin',
  'x-scope': 'admin',
  'x-allow': ['metrics_token'],
  responses: {
    200: { content: { 'text/plain': { schema: z.string() } }, description: 'Metrics' },
    401: refusal('Neither token'),
    403: refusal('Not an administrator, or a gate refused'),
  },
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
