import type { Account } from '#core/accounts/account.ts';
import type { SignIn } from '#core/accounts/sign-in.ts';
import type { StepUp } from '#core/accounts/step-up.ts';
import type { Tickets } from '#core/accounts/tickets.ts';
import type { TwoFactor } from '#core/accounts/two-factor.ts';
import { changePassword, login, me, socketTicket, stepUp } from '../../contract/accounts/auth.ts';
import {
  disableTotp,
  renewRecoveryCodes,
  setUpTotp,
  totpState,
  verifyTotp,
} from '../../contract/accounts/totp.ts';
import type { AppContext } from '../../http/env.ts';
import type { Router } from '../../http/router.ts';

interface Services {
  readonly sign_in: SignIn;
  readonly step_up: StepUp;
  readonly account: Account;
  readonly two_factor: TwoFactor;
  readonly tickets: Tickets;
}

export function mountAuth(router: Router, services: Services): void {
  const { sign_in, step_up, account, tickets } = services;
  router.on(login, async (c) => c.json(await sign_in.login(c.req.valid('json'), originOf(c)), 200));

  router.on(stepUp, async (c) =>
    c.json(await step_up.prove(c.var.caller, c.req.valid('json'), originOf(c)), 200),
  );

  router.on(me, async (c) => c.json(await account.me(c.var.caller), 200));

  router.on(changePassword, async (c) =>
    c.json(await account.changePassword(c.var.caller, c.req.valid('json')), 200),
  );

  router.on(socketTicket, async (c) => c.json(await tickets.forSocket(c.var.caller), 200));

  mountTwoFactor(router, services);
}

function mountTwoFactor(router: Router, { sign_in, two_factor }: Services): void {
  router.on(totpState, async (c) => c.json(await two_factor.state(c.var.caller), 200));

  router.on(setUpTotp, async (c) => c.json(await two_factor.setUp(c.var.caller), 200));

  router.on(verifyTotp, async (c) => {
    const { caller } = c.var;
    const { code } = c.req.valid('json');
    return caller.credential.kind === 'pending_2fa'
      ? c.json(await sign_in.complete(caller, code, originOf(c)), 200)
      : c.json(await two_factor.confirm(caller, code), 200);
  });

  router.on(renewRecoveryCodes, async (c) =>
    c.json(await two_factor.renew(c.var.caller, c.req.valid('json').code), 200),
  );

  router.on(disableTotp, async (c) =>
    c.json(await two_factor.disable(c.var.caller, c.req.valid('json').code), 200),
  );
}

function originOf(c: AppContext) {
  const user_agent = c.req.header('user-agent') ?? '';
  return { ip_address: c.var.ip_address, user_agent, via: 'page' as const };
}
