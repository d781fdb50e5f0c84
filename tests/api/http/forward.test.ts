import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { listUsers } from '#api/contract/accounts/users.ts';
import type { AppRoute } from '#api/contract/app-route.ts';
import { exportAudit } from '#api/contract/audit.ts';
import { downloadFile } from '#api/contract/files/transfers.ts';
import { serverEvents } from '#api/contract/monitor.ts';
import type { AppEnv, Runtime, UnreadBounds } from '#api/http/env.ts';
import { type Exchange, forward } from '#api/http/forward.ts';
import { createHono, createRouter } from '#api/http/router.ts';
import { boundAnswers } from '#api/http/turns.ts';
import { toFault } from '#core/errors.ts';

/** Forwards a request whose client leaves as soon as the worker has it; the code of the refusal. */
async function forwardAbandoned(exchange: Exchange): Promise<string> {
  let leave = () => {};
  const runtime: Pick<Runtime, 'onGone'> = {
    onGone(_c, run) {
      leave = run;
      return () => undefined;
    },
  };
  const options = {
    worker_url: 'http://worker.internal:8443',
    addresses: { sign: async () => 'signed' },
    root_path: '',
    runtime,
    exchange: (url: URL, passed: Parameters<Exchange>[1]) => {
      queueMicrotask(leave);
      return exchange(url, passed);
    },
    is_long: true,
  };
  const app = new Hono<AppEnv>()
    .get('/', (c) => forward(c, options))
    .onError((error, c) => c.text(toFault(error).code));
  return (await app.request('http://edge/')).text();
}

/** How long the client may take to read the answer that an edge passes on. */
async function boundsOf(route: AppRoute): Promise<Omit<UnreadBounds, 'owner'> | undefined> {
  let seen: UnreadBounds | undefined;
  const hono = createHono('');
  hono.use(
    boundAnswers({
      boundUnread(_c, bounds) {
        seen = bounds;
      },
    }),
  );
  createRouter(() => [], hono).pass(route, async () => new Response('passed on'));
  await hono.request(route.path.replace(/\{\w+\}/g, '1'), { method: route.method });
  return seen;
}

describe('A request that an edge forwards', () => {
  it.each([downloadFile, serverEvents, exportAudit])(
    'may have an answer that takes hours: $operationId',
    async (route) => {
      expect(await boundsOf(route)).toEqual({ silence_ms: 15 * 60_000 });
    },
  );

  it('has 5 minutes for an answer in one piece', async () => {
    expect(await boundsOf(listUsers)).toMatchObject({ whole_ms: 5 * 60_000 });
  });

  it('ends at the worker when the client leaves before the answer', async () => {
    const code = await forwardAbandoned(
      (_url, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('Aborted')), { once: true });
        }),
    );
    expect(code).toBe('client_left');
  });
});
