import { z } from '@hono/zod-openapi';
import { defineRoute } from './define.ts';
import { json } from './shapes.ts';

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
  description:
    'Answers while the process runs, even when the database does not. To find out whether to send requests here, use `meta.ready`.',
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
  refuses: ['database_unavailable', 'shutting_down'],
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
  },
});

export const document = defineRoute({
  operationId: 'meta.document',
  method: 'get',
  path: '/openapi.json',
  tags: ['meta'],
  summary: 'Get this document',
  description: 'OpenAPI 3.1. `info.version` is the version of the gateway, `servers` has its root path.',
  'x-access': 'public',
  responses: { 200: json(z.looseObject({ openapi: z.string() }), 'The document') },
});

export const reference = defineRoute({
  operationId: 'meta.reference',
  method: 'get',
  path: '/docs',
  tags: ['meta'],
  summary: 'Get the reference page of this API',
  description: 'HTML that shows this document. It loads nothing from elsewhere.',
  'x-access': 'public',
  responses: { 200: { description: 'The page', content: { 'text/html': { schema: z.string() } } } },
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
  description:
    'What the page must know before anybody has signed in. Contains no secret, except in demo mode.',
  'x-access': 'public',
  responses: {
    200: json(PublicConfig, 'Public configuration'),
  },
});

const Arrival = z
  .object({
    requested_host: z
      .string()
      .describe(
        'The `Host` header, or from a trusted proxy the host in `X-Forwarded-Host` and `X-Forwarded-Port`',
      ),
    forwarded_host: z
      .string()
      .optional()
      .describe('The `X-Forwarded-Host` header, also if it does not count'),
    is_proxy_trusted: z.boolean().describe('Whether the sender is named in `SERVICE_TRUSTED_PROXIES`'),
    accepts_origin: z.boolean().describe('Whether pages of `origin` may open terminals'),
  })
  .meta({ id: 'Arrival' });

export const arrival = defineRoute({
  operationId: 'meta.arrival',
  method: 'get',
  path: '/api/arrival',
  tags: ['meta'],
  summary: 'See how this request arrived',
  description:
    'For pages whose terminals do not open behind a proxy: tells which host the gateway was asked for, and ' +
    'whether it accepts terminals of pages of `origin`. If it does, the proxy does not pass WebSocket upgrades.',
  'x-access': 'user',
  'x-scope': 'any',
  'x-embed': { kind: 'any' },
  request: {
    query: z.object({
      origin: z.string().max(300).optional().describe('Of the page; absent outside of browsers'),
    }),
  },
  responses: { 200: json(Arrival, 'As the gateway has received it') },
});
