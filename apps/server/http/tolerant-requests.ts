import type { IncomingMessage, Server } from 'node:http';
import { meantMethod } from '#api/http/method-override.ts';

const NO_HOST = 'localhost'; // only completes the URL that the adapter builds

/** HTTP/1.0 needs no `Host`, and health checks of load balancers send none. HTTP/1.1 without it is refused. */
export function completeOldRequests(server: Server): void {
  server.prependListener('request', ({ httpVersion, headers }: IncomingMessage) => {
    if (httpVersion === '1.0') headers.host ||= NO_HOST;
  });
}

/** Before anything looks at the method: the gates and the log see the one that is meant. */
export function overrideMethods(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const { method = '', url = '', headers } = request;
    const override = headers['x-http-method-override'];
    if (typeof override === 'string') request.method = meantMethod({ method, url, override });
  });
}
