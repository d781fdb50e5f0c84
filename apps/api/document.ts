import type { OpenAPIHono } from '@hono/zod-openapi';
import { FAULTS } from '#core/errors.ts';
import { TestEvent } from '#core/model/hosts/connection-test.ts';
import { EXAMPLES } from './contract/examples/examples.ts';
import { GENERAL_REFUSALS } from './contract/refusals.ts';
import { ClientFrame, GatewayFrame, QuickOpenFrame } from './contract/terminals/frames.ts';
import type { AppEnv } from './http/env.ts';

export interface DocumentOptions {
  readonly version: string;
  readonly root_path: string;
}

const ABOUT =
  'Web SSH and SFTP gateway. All errors have the shape `Error`: `detail` for people, `code` for programs. Each ' +
  'response lists the codes it may have, also in `x-codes`; `4XX` and `5XX` stand for what any operation may refuse. ' +
  'A 404 does not say whether something exists: what the caller may not see is unknown. Times are ISO 8601 UTC. ' +
  'Every response has an `X-Request-Id`. Clients must ignore fields, codes and events that they do not know: ' +
  'versions add them.';

const LICENSE = { name: 'MIT', identifier: 'MIT' };

const ABOUT_TOKENS =
  'The `access_token` of a sign-in, or an API key (`sp_…`) whose scopes include the `x-scope` of ' +
  'the operation. Where that is `session`, API keys are refused. `x-fresh` wants a session that was ' +
  'signed in to, or confirmed with `POST /api/auth/step-up`, recently. An embedded session (`POST ' +
  '/api/auth/embed-session`) may call only operations with `x-embed`, for its own server';

/** The OpenAPI 3.1 document of everything mounted on `hono`. */
export function buildDocument(hono: OpenAPIHono<AppEnv>, { version, root_path }: DocumentOptions) {
  const { openAPIRegistry: registry } = hono;
  registry.register('TerminalClientFrame', ClientFrame);
  registry.register('TerminalQuickOpenFrame', QuickOpenFrame);
  registry.register('TerminalGatewayFrame', GatewayFrame);
  registry.register('ConnectionTestEvent', TestEvent);
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: ABOUT_TOKENS,
  });
  for (const [range, { name, codes }] of Object.entries(GENERAL_REFUSALS)) {
    const listed = codes.map((code) => `\`${code}\` (${FAULTS[code].status}): ${FAULTS[code].detail}.`);
    const description = `Any other ${range}, such as: ${listed.join(' ')}`;
    registry.registerComponent('responses', name, {
      description,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      'x-codes': [...codes],
    });
  }
  const document = hono.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Sallyport',
      version,
      description: ABOUT,
      license: LICENSE,
    },
    servers: [{ url: root_path || '/' }],
  });
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (name in EXAMPLES) Object.assign(schema, { examples: [EXAMPLES[name]] });
  }
  return document;
}
