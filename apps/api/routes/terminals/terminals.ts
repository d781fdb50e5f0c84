import type { QuickPins } from '#core/hosts/quick-host-keys.ts';
import { ShareInput } from '#core/model/terminal.ts';
import type { SessionHomes, Elsewhere as SessionPlace } from '#core/terminals/homes.ts';
import type { LiveTerminals } from '#core/terminals/live-terminals.ts';
import type { Shares } from '#core/terminals/shares.ts';
import {
  acceptQuickHostKey,
  endTerminal,
  forgetQuickHostKey,
  listQuickHostKeys,
  listTerminals,
  shareTerminal,
  unshareTerminal,
} from '../../contract/terminals/terminals.ts';
import type { Elsewhere } from '../../http/elsewhere.ts';
import type { Router } from '../../http/router.ts';

interface Options {
  readonly live_terminals: LiveTerminals;
  readonly shares: Shares;
  readonly session_homes: SessionHomes;
  readonly quick_pins: QuickPins;
  readonly elsewhere: Elsewhere<SessionPlace>;
}

export function mountTerminals(router: Router, options: Options): void {
  const { live_terminals, shares, session_homes, quick_pins, elsewhere } = options;

  router.on(listTerminals, async (c) => {
    const { limit, offset, own } = c.req.valid('query');
    const all = await live_terminals.list(c.var.caller, { is_own: own === 'true' });
    c.header('X-Total-Count', String(all.length));
    return c.json(all.slice(offset, offset + limit), 200);
  });

  router.on(endTerminal, async (c) => {
    const home = await session_homes.of(c.req.valid('param').session_id);
    if (home.kind === 'elsewhere') return elsewhere.request(c, home);
    await live_terminals.end(c.var.caller, home.session);
    return c.body(null, 204);
  });

  router.on(shareTerminal, async (c) => {
    const home = await session_homes.of(c.req.valid('param').session_id);
    const input = ShareInput.parse(c.req.valid('json') ?? {}); // without a body, the defaults
    if (home.kind === 'elsewhere') return elsewhere.request(c, home, input);
    return c.json(await shares.share(c.var.caller, home.session, input), 200);
  });

  router.on(unshareTerminal, async (c) => {
    const home = await session_homes.of(c.req.valid('param').session_id);
    if (home.kind === 'elsewhere') return elsewhere.request(c, home);
    await shares.unshare(c.var.caller, home.session);
    return c.body(null, 204);
  });

  router.on(listQuickHostKeys, async (c) => c.json(await quick_pins.list(c.var.caller), 200));

  router.on(acceptQuickHostKey, async (c) => {
    const { host_key } = c.req.valid('json');
    return c.json(await quick_pins.accept(c.var.caller, c.req.valid('param').id, host_key), 200);
  });

  router.on(forgetQuickHostKey, async (c) => {
    await quick_pins.forget(c.var.caller, c.req.valid('param').id);
    return c.body(null, 204);
  });
}
