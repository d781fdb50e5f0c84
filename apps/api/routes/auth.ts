import type { SignIn } from '#core/services/sign-in.ts';
import type { Tickets } from '#core/services/tickets.ts';
import { changePassword, login, logout, me, socketTicket } from '../contract/auth.ts';
import type { Router } from '../http/router.ts';

interface Services {
  readonly sign_in: SignIn;
  readonly tickets: Tickets;
}

export function mountAuth(router: Router, { sign_in, tickets }: Services): void {
  router.on(login, async (c) => {
    const origin = { ip_address: c.var.ip_address, user_agent: c.req.header('user-agent') ?? '' };
    return c.json(await sign_in.login(c.req.valid('json'), origin), 200);
  });

  router.on(me, async (c) => c.json(await sign_in.me(c.var.caller), 200));

  router.on(changePassword, async (c) =>
    c.json(await sign_in.changePassword(c.var.caller, c.req.valid('json')), 200),
  );

  router.on(logout, async (c) => {
    await sign_in.logout(c.var.caller);
    return c.body(null, 204);
  });

  router.on(socketTicket, async (c) => c.json(await tickets.forSocket(c.var.caller), 200));
}
