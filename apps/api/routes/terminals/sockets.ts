import { Fault } from '#core/errors.ts';
import type { After } from '#core/lib/time/timers.ts';
import { DEFAULT_TERMINAL_SIZE } from '#core/model/terminal.ts';
import type { Admissions } from '#core/terminals/admissions.ts';
import type { SessionHomes, Elsewhere as SessionPlace } from '#core/terminals/homes.ts';
import type { Seats } from '#core/terminals/live/seat.ts';
import type { QuickConnects } from '#core/terminals/quick-connects.ts';
import type { Terminals } from '#core/terminals/terminals.ts';
import {
  joinSocket,
  quickSocket,
  resumeSocket,
  terminalSocket as serverSocket,
  watchSocket,
} from '../../contract/terminals/sockets.ts';
import type { Elsewhere } from '../../http/elsewhere.ts';
import type { AppContext, Runtime } from '../../http/env.ts';
import type { RefuseLog } from '../../http/refuse.ts';
import type { Router } from '../../http/router.ts';
import { type TerminalSocketOptions, terminalSocket } from './socket.ts';

interface Options {
  readonly terminals: Terminals;
  readonly quick_connects: QuickConnects;
  readonly admissions: Admissions;
  readonly seats: Seats;
  readonly session_homes: SessionHomes;
  readonly elsewhere: Elsewhere<SessionPlace>;
  readonly runtime: Runtime;
  readonly after: After;
  readonly log: RefuseLog;
}

type Admitting = Pick<TerminalSocketOptions, 'client_id' | 'first' | 'admit'>;

export function mountTerminalSockets(router: Router, options: Options): void {
  const { terminals, quick_connects, admissions, session_homes, elsewhere, runtime } = options;
  const { seats, after, log } = options;
  const upgrade = (c: AppContext, admitting: Admitting) =>
    runtime.upgrade(c, terminalSocket({ seats, after, log, ...admitting }));

  // Registered before the route with a server id, which would match this path, too.
  router.on(quickSocket, async (c) => {
    const { caller } = c.var;
    await quick_connects.assertEnabled(caller);
    return upgrade(c, {
      client_id: c.req.valid('query').client_id,
      first: { kind: 'quick' },
      async admit(request, target) {
        if (!target) throw new Fault('bad_first_message');
        return quick_connects.open(caller, target, request);
      },
    });
  });

  router.on(joinSocket, async (c) => {
    const { caller } = c.var;
    const { token } = c.req.valid('param');
    const { mode } = c.req.valid('query');
    const home = await session_homes.ofShare(token);
    if (home.kind === 'elsewhere') return elsewhere.socket(c, home);
    return upgrade(c, { first: { kind: 'nothing' }, admit: () => admissions.join(caller, token, mode) });
  });

  router.on(watchSocket, async (c) => {
    const { caller } = c.var;
    const home = await session_homes.of(c.req.valid('param').session_id);
    if (home.kind === 'elsewhere') return elsewhere.socket(c, home);
    return upgrade(c, {
      first: { kind: 'nothing' },
      admit: () => admissions.watch(caller, home.session),
    });
  });

  router.on(resumeSocket, async (c) => {
    const { caller } = c.var;
    const { offset, take_over, client_id, ...asked } = c.req.valid('query');
    const home = await session_homes.of(c.req.valid('param').session_id);
    if (home.kind === 'elsewhere') return elsewhere.socket(c, home);
    return upgrade(c, {
      client_id,
      first: { kind: 'nothing', size: sizeOf(asked) },
      admit: () =>
        admissions.resume(caller, home.session, { offset, client_id, take_over: take_over === 'true' }),
    });
  });

  router.on(serverSocket, async (c) => {
    const { caller } = c.var;
    const { server_id } = c.req.valid('param');
    const server = await terminals.assertMayOpen(caller, server_id);
    const { client_id, ...asked } = c.req.valid('query');
    const size = sizeOf(asked);
    return upgrade(c, {
      client_id,
      first: { kind: 'size', size },
      // Without a size in the address, the client may take a second to send it.
      admit: (request) => terminals.open(caller, size ? server : server_id, request),
    });
  });
}

function sizeOf({ cols, rows }: { cols?: number | undefined; rows?: number | undefined }) {
  if (!cols && !rows) return undefined;
  return { cols: cols ?? DEFAULT_TERMINAL_SIZE.cols, rows: rows ?? DEFAULT_TERMINAL_SIZE.rows };
}
