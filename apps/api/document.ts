import type { OpenAPIHono } from '@hono/zod-openapi';
import { TestEvent } from '#core/model/connection-test.ts';
import { ClientFrame, GatewayFrame, QuickOpenFrame } from './contract/terminals/frames.ts';
import type { AppEnv } from './http/env.ts';

export interface DocumentOptions {
  readonly version: string;
  readonly root_path: string;
}

/** The OpenAPI 3.1 document of everything mounted on `hono`. */
export function buildDocument(hono: OpenAPIHono<AppEnv>, { version, root_path }: DocumentOptions) {
  hono.openAPIRegistry.register('TerminalClientFrame', ClientFrame);
  hono.openAPIRegistry.register('TerminalQuickOpenFrame', QuickOpenFrame);
  hono.openAPIRegistry.register('TerminalGatewayFrame', GatewayFrame);
  hono.openAPIRegistry.register('ConnectionTestEvent', TestEvent);
  hono.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description:
      'The `access_token` of a sign-in, or an API key (`sp_…`) whose scopes include the `x-scope` of ' +
      'the operation. Where that is `session`, API keys are refused. `x-fresh` wants a session that was ' +
      'signed in to, or confirmed with `POST /api/auth/step-up`, recently. An embedded session (`POST ' +
      '/api/auth/embed-session`) may call only operations with `x-embed`, for its own server',
  });
  return hono.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Sallyport',
      version,
      description:
        'Web SSH and SFTP gateway. All errors have the shape `Error`: `detail` for people, `code` ' +
        'for programs. Times are ISO 8601 UTC. Every response has an `X-Request-Id`.',
    },
    servers: [{ url: root_path || '/' }],
  });
}
