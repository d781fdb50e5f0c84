import type { Sessions } from '#core/accounts/sessions.ts';
import { logout } from '../../contract/accounts/auth.ts';
import {
  endSession,
  endSessions,
  endUserSessions,
  listSessions,
  listUserSessions,
} from '../../contract/accounts/sessions.ts';
import type { Router } from '../../http/router.ts';

export function mountSessions(router: Router, sessions: Sessions): void {
  router.on(logout, async (c) => {
    await sessions.logout(c.var.caller);
    return c.body(null, 204);
  });

  router.on(listSessions, async (c) => {
    const all = await sessions.list(c.var.caller);
    const { limit, offset } = c.req.valid('query');
    c.header('X-Total-Count', String(all.length));
    return c.json(all.slice(offset, offset + limit), 200);
  });

  router.on(endSession, async (c) => {
    await sessions.end(c.var.caller, c.req.valid('param').session_id);
    return c.body(null, 204);
  });

  router.on(endSessions, async (c) => {
    await sessions.endAll(c.var.caller, c.req.valid('query').keep_current === 'true');
    return c.body(null, 204);
  });

  router.on(listUserSessions, async (c) =>
    c.json(await sessions.listOf(c.var.caller, c.req.valid('param').user_id), 200),
  );

  router.on(endUserSessions, async (c) => {
    await sessions.endAllOf(c.var.caller, c.req.valid('param').user_id);
    return c.body(null, 204);
  });
}
