import type { AgentServices } from '#core/agent/create.ts';
import * as contract from '../../contract/agent/settings.ts';
import type { Runtime } from '../../http/env.ts';
import { goneSignal } from '../../http/gone-signal.ts';
import type { Router } from '../../http/router.ts';

interface Options extends AgentServices {
  readonly runtime: Pick<Runtime, 'onGone'>;
}

export function mountAgentSettings(router: Router, { agent_settings, runtime }: Options): void {
  router.on(contract.getAgentSettings, async (c) => c.json(await agent_settings.get(c.var.caller), 200));

  router.on(contract.updateAgentSettings, async (c) =>
    c.json(await agent_settings.update(c.var.caller, c.req.valid('json')), 200),
  );

  router.on(contract.testAgentSettings, async (c) => {
    const given = c.req.valid('json') ?? {};
    const input = 'provider' in given ? given : undefined; // without a body, the stored settings
    return c.json(await agent_settings.test(c.var.caller, input, goneSignal(c, runtime)), 200);
  });

  router.on(contract.agentStatus, async (c) =>
    c.json(await agent_settings.status(c.var.caller, c.req.valid('query').server_id), 200),
  );
}
