import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createAgentTrial } from '#core/agent/trial.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { ModelAddress } from '#core/ports/agent.ts';
import { addressOf, languageModels } from '../../support/agent/ask.ts';
import { type ModelServer, SILENT, startModelServer } from '../../support/agent/model-server.ts';
import { type HandClock, handClock } from '../../support/hand-clock.ts';

const CALLER: Caller = {
  user_id: 1,
  username: 'chief',
  is_admin: true,
  allowed_groups: [],
  scopes: ['admin'],
  must_change_password: false,
  credential: { kind: 'session', id: 's' },
  ip_address: '192.0.2.1',
  via: 'page',
  is_fresh: true,
  in_demo: false,
};
const INPUT = { provider: 'ollama', base_url: '', model: '', allow_private_address: true } as const;

let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer();
});
afterEach(async () => {
  await models.idle();
  models.reset();
});
afterAll(() => models.stop());

function trial(clock: HandClock, changes: Partial<ModelAddress> = {}) {
  const recorded: string[] = [];
  const { test } = createAgentTrial({
    config: { addressOf: async () => addressOf(models.url, changes) },
    language_models: languageModels({ header_ms: 60_000, silence_ms: 60_000 }),
    trail: {
      record: async (_actor, action, detail) => void recorded.push(`${action} ${detail}`),
      recordAll: async () => {},
      fire: async () => {},
    },
    clock,
  });
  return { recorded, run: (signal = new AbortController().signal) => test(CALLER, INPUT, signal) };
}

it('A trial of a provider that never answers ends after 20 seconds', async () => {
  const clock = handClock(1000);
  models.lists(SILENT);
  const { run, recorded } = trial(clock);
  const trying = run();
  await expect.poll(() => models.listings.length).toBe(1);
  await clock.pass(19_000);
  expect(models.openConnections()).toBe(1);
  await clock.pass(1000);
  expect(await trying).toEqual({ ok: false, models: [], detail: 'No answer within 20 s' });
  expect(recorded).toEqual([`agent_settings_test openai_compatible at ${new URL(models.url).origin}`]);
  expect(clock.timers()).toBe(0);
});

it('A trial of a model that stalls keeps the list of models', async () => {
  const clock = handClock(1000);
  models.script({ says: ['re'], ending: 'stall' });
  const trying = trial(clock).run();
  await models.hears(1);
  await clock.pass(20_000);
  expect(await trying).toEqual({ ok: false, models: ['test-model'], detail: 'No answer within 20 s' });
});

it('A trial offers a tool, so that a model without tools is found out', async () => {
  const message = 'registry.ollama.ai/library/old does not support tools';
  models.script({ status: 400, body: JSON.stringify({ error: { message } }) });
  const tried = await trial(handClock()).run();
  expect(models.requests[0]?.body.tools).toHaveLength(1);
  expect(tried.detail).toContain(message);
});

it('A trial ends with the request for it', async () => {
  const leaving = new AbortController();
  models.lists(SILENT);
  const trying = trial(handClock()).run(leaving.signal);
  await expect.poll(() => models.listings.length).toBe(1);
  leaving.abort();
  expect((await trying).ok).toBe(false);
});
