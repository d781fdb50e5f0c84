import type { After } from '#core/lib/timers.ts';
import type { Terminals } from '#core/services/terminals.ts';
import { terminalSocket as route } from '../contract/terminals.ts';
import type { Runtime } from '../http/env.ts';
import type { RefuseLog } from '../http/refuse.ts';
import type { Router } from '../http/router.ts';
import { terminalSocket } from '../http/terminal-socket.ts';

interface Options {
  readonly terminals: Terminals;
  readonly runtime: Runtime;
  readonly after: After;
  readonly log: RefuseLog;
}

export function mountTerminalSockets(router: Router, { terminals, runtime, after, log }: Options): void {
  router.on(route, async (c) => {
    const { caller } = c.var;
    const { server_id } = c.req.valid('param');
    const { cols, rows } = c.req.valid('query');
    await terminals.assertMayOpen(caller, server_id);
    return runtime.upgrade(
      c,
      terminalSocket({
        size: cols || rows ? { cols: cols ?? 80, rows: rows ?? 24 } : undefined,
        after,
        log,
        open: (request) => terminals.open(caller, { server_id, ...request }),
      }),
    );
  });
}
