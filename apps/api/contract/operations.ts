import { z } from '@hono/zod-openapi';
import { defineRoute } from './define.ts';
import { json, refusal } from './shapes.ts';

const Health = z
  .object({
    status: z.literal('ok'),
    instance_id: z.string(),
    monitor_role: z.enum(['leader', 'follower']).describe('Only the leader checks the servers'),
    host_keys_verified: z
      .literal(false)
      .optional()
      .describe('Present while `SERVICE_VERIFY_HOST_KEYS` is off'),
  })
  .meta({ id: 'Health' });

export const health = defineRoute({
  operationId: 'meta.health',
  method: 'get',
  path: '/api/health',
  tags: ['meta'],
  summary: 'Check that this instance is up',
  'x-access': 'public',
  responses: { 200: json(Health, 'This instance is up') },
});

export const ready = defineRoute({
  operationId: 'meta.ready',
  method: 'get',
  path: '/api/health/ready',
  tags: ['meta'],
  summary: 'Check that this instance is ready for requests',
  description: 'For load balancers: the database answers and the instance is not stopping.',
  'x-access': 'public',
  responses: {
    200: json(
      z.object({
        status: z.literal('ready'),
        clock_skew_ms: z
          .int()
          .optional()
          .describe(
            'The clock of this machine is that far ahead of the database (negative: behind); only above 2 s',
          ),
      }),
      'Ready',
    ),
    503: refusal(
      'The database does not answer (`database_unavailable`), or the instance is stopping ' +
        '(`shutting_down`)',
    ),
  },
});

export const metrics = defineRoute({
  operationId: 'meta.metrics',
  method: 'get',
  path: '/metrics',
  tags: ['meta'],
  summary: 'Metrics in the Prometheus text format',
  description:
    'Send `SERVICE_METRICS_TOKEN` as the bearer token, or an administrator’s token (an API key needs ' +
    'the scope `admin`).',
  'x-access': 'admin',
  'x-scope': 'admin',
  'x-allow': ['metrics_token'],
  responses: {
    200: { content: { 'text/plain': { schema: z.string() } }, description: 'Metrics' },
    401: refusal('No valid token'),
    403: refusal('Not an administrator, or a gate refused'),
  },
});

const PublicConfig = z
  .object({
    demo_mode: z.boolean(),
    quick_connect: z.literal(false).optional().describe('Present while `SERVICE_QUICK_CONNECT` is off'),
    demo_credentials: z
      .object({ username: z.string(), password: z.string() })
      .optional()
      .describe('In demo mode: credentials that anybody may use'),
  })
  .meta({ id: 'PublicConfig' });

export const config = defineRoute({
  operationId: 'meta.config',
  method: 'get',
  path: '/api/config',
  tags: ['meta'],
  summary: 'Configuration for the sign-in page',
  'x-access': 'public',
  responses: {
    200: json(PublicConfig, 'Public configuration'),
  },
});
