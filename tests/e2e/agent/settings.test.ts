import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { AgentSettings, AgentStatus, AgentTest } from '#core/model/agent.ts';
import { DEFAULT_AGENT_LIMITS } from '#core/model/agent.ts';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import {
  LOCAL_MODELS,
  type ModelServer,
  SILENT,
  startModelServer,
} from '../../support/agent/model-server.ts';
import { createKey, makeStale } from '../../support/features/accounts.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  describeEachGateway,
  startGateway,
} from '../../support/gateway/gateway.ts';

const SETTINGS = '/api/agent/settings';
const TEST = '/api/agent/settings/test';
const STATUS = '/api/agent/status';
const KEY = 'sk-very-secret-key-0123456789';
const OFF = { provider: null, base_url: '', model: '', allow_private_address: false };

describeEachGateway(
  'The settings of the agent',
  (gateway) => {
    let admin: Actor;
    let models: ModelServer;
    beforeAll(async () => {
      admin = gateway().admin;
      models = await startModelServer();
    });
    beforeEach(() => save({ ...OFF, api_key: '' }));
    afterEach(() => models.reset());
    afterAll(() => models.stop());

    const local = (changes: object = {}) => ({
      provider: 'openai_compatible',
      base_url: models.url,
      model: 'test-model',
      allow_private_address: true,
      ...changes,
    });
    const save = (input: object, actor = admin) =>
      actor.call<AgentSettings & { code: string; errors: { path: string }[] }>('PUT', SETTINGS, input);
    const get = async () => (await admin.call<AgentSettings>('GET', SETTINGS)).body;
    const test = async (input: object) => (await admin.call<AgentTest>('POST', TEST, input)).body;
    const status = (query = '', actor = admin) => actor.call<AgentStatus>('GET', `${STATUS}${query}`);
    const refusal = async (input: object) => {
      const { status, body } = await save(input);
      return [status, body.code, body.errors?.map(({ path }) => path)];
    };

    it('are off at first', async () => {
      const { db, tables } = gateway().store;
      await db.delete(tables.agent_settings);
      const rest = { limits: DEFAULT_AGENT_LIMITS, retention_days: 30 };
      expect(await get()).toEqual({ ...OFF, ...rest, has_key: false, is_unreadable: false });
      const off = { enabled: false, reason: 'agent_off', provider: null, model: '' };
      expect((await status()).body).toEqual(off);
    });

    it('are saved whole, without ever returning the key', async () => {
      const limits = { steps: 5, seconds: 60, tokens_per_turn: 5000, tokens_per_day: 0 };
      const input = { ...local(), limits, retention_days: 7 };
      const { status, body } = await save({ ...input, api_key: KEY });
      expect({ status, body }).toEqual({
        status: 200,
        body: { ...input, has_key: true, is_unreadable: false },
      });
      expect(await get()).toEqual(body);
    });

    it('are sealed as a whole', async () => {
      await save(local({ api_key: KEY }));
      const { db, tables } = gateway().store;
      const [row] = await db.select().from(tables.agent_settings);
      expect(row?.config_sealed).toMatch(/^v2:/);
      expect(JSON.stringify(row)).not.toMatch(/secret-key|test-model/);
    });

    it('keep the key when it is not sent, and clear it when it is empty', async () => {
      await save(local({ api_key: KEY }));
      expect((await save(local({ model: 'another' }))).body.has_key).toBe(true);
      expect((await save(OFF)).body.has_key).toBe(true);
      expect((await save(local())).body.has_key).toBe(true);
      expect((await save(local({ api_key: '' }))).body.has_key).toBe(false);
    });

    it('refuse another host or provider with the stored key', async () => {
      await save(local({ api_key: KEY }));
      const required = [422, 'credential_required', ['api_key']];
      expect(await refusal(local({ base_url: 'https://evil.example/v1' }))).toEqual(required);
      expect(await refusal(local({ base_url: models.url.replace('127.0.0.1', 'localhost') }))).toEqual(
        required,
      );
      expect(await refusal(local({ provider: 'openrouter' }))).toEqual(required);
      await save(OFF);
      expect(await refusal(local({ base_url: 'https://evil.example/v1' }))).toEqual(required);
      const tested = await admin.call<{ code: string }>('POST', TEST, local({ provider: 'ollama' }));
      expect([tested.status, tested.body.code]).toEqual([422, 'credential_required']);
      expect(models.listings).toEqual([]);
      const moved = await save(local({ base_url: 'https://models.example/v1', api_key: '' }));
      expect([moved.status, moved.body.has_key]).toEqual([200, false]);
    });

    it.each([
      ['a private address', { allow_private_address: false }, ['base_url']],
      ['no address', { base_url: '' }, ['base_url']],
      ['a name in the address', { base_url: 'https://user:pass@models.example/v1' }, ['base_url']],
      ['a query', { base_url: 'https://models.example/v1?key=1' }, ['base_url']],
      ['no model', { model: ' ' }, ['model']],
      ['a key with a space', { api_key: 'a b' }, ['api_key']],
      ['a key with a line break', { api_key: 'a\nb' }, ['api_key']],
      ['no steps', { limits: { ...DEFAULT_AGENT_LIMITS, steps: 0 } }, ['limits.steps']],
    ])('refuse %s', async (_what, changes, paths) => {
      expect(await refusal(local(changes))).toEqual([422, 'validation', paths]);
    });

    it('are for administrators, and change only with a fresh session', async () => {
      const user = await gateway().user({ username: `plain-${gateway().config.database_url.length}` });
      expect((await user.call('GET', SETTINGS)).status).toBe(403);
      expect((await save(local(), user)).status).toBe(403);
      expect((await user.call('POST', TEST, local())).status).toBe(403);
      const key = gateway().actor((await createKey(admin)).key);
      expect((await key.call('GET', SETTINGS)).status).toBe(200);
      expect((await save(local(), key)).body.code).toBe('session_required');
      const stale = await makeStale(gateway(), await gateway().signIn('admin', ADMIN_PASSWORD));
      expect((await save(local(), stale)).body.code).toBe('step_up_required');
      expect((await stale.call('POST', TEST, local())).body['code']).toBe('step_up_required');
    });

    it('are audited by field, without values', async () => {
      await save(local({ api_key: KEY }));
      await save(local({ api_key: KEY }));
      const path = '/api/auth/audit?action=agent_settings_update&limit=2';
      const { body } = await admin.call<AuditEntry[]>('GET', path);
      const fields = 'provider, base_url, model, allow_private_address, api_key';
      expect(body.map(({ detail }) => detail)).toEqual(['nothing', fields]);
    });

    it('that cannot be decrypted read as off, say so, and can be saved again', async () => {
      await save(local({ api_key: KEY }));
      const { db, tables } = gateway().store;
      await db.update(tables.agent_settings).set({ config_sealed: 'v2:lost:AAAA:AAAA' });
      expect(await get()).toMatchObject({ ...OFF, has_key: false, is_unreadable: true });
      expect((await status()).body).toMatchObject({ enabled: false, reason: 'agent_off' });
      expect((await save(local())).body).toMatchObject({ has_key: false, is_unreadable: false });
      expect((await status()).body.enabled).toBe(true);
    });

    it('are in force on another instance at once', async () => {
      const { database_url } = gateway().config;
      const second = await startGateway({ env: LOCAL_MODELS, database_url, untouched: true });
      onTestFinished(() => second.close());
      const there = second.actor(admin.token);
      await save(local({ api_key: KEY }));
      expect((await status('', there)).body).toMatchObject({ enabled: true, model: 'test-model' });
      expect((await save(local({ model: 'of the second' }), there)).body.has_key).toBe(true);
      expect(await get()).toMatchObject({ model: 'of the second', has_key: true });
      await save(OFF);
      expect((await status('', there)).body.reason).toBe('agent_off');
    });

    it('never mix what two administrators save at once', async () => {
      await save(local({ api_key: KEY }));
      const away = { base_url: 'https://models.example/v1', allow_private_address: false };
      const saving = [
        local({ model: 'one' }),
        local({ ...away, api_key: 'other-key' }),
        local({ model: 'two' }),
      ];
      const statuses = (await Promise.all(saving.map((input) => save(input)))).map(({ status }) => status);
      for (const one of statuses) expect([200, 422]).toContain(one);
      const { base_url } = await get();
      await test(local({ model: '' })).catch(() => undefined);
      const keys = models.listings.map(({ headers }) => headers.authorization);
      expect(keys).toEqual(base_url === models.url ? [`Bearer ${KEY}`] : []);
    });

    it('say of each server whether its users may ask', async () => {
      await save(local());
      const on = await gateway().addServer({ name: 'asked', agent_enabled: true });
      const off = await gateway().addServer({ name: 'left alone' });
      const named = { provider: 'openai_compatible', model: 'test-model' };
      expect((await status(`?server_id=${on.id}`)).body).toEqual({ enabled: true, reason: null, ...named });
      const reason = 'agent_disabled_for_server';
      expect((await status(`?server_id=${off.id}`)).body).toEqual({ enabled: false, reason, ...named });
      const outsider = await gateway().user({ username: `outsider-${on.id}`, allowed_groups: ['elsewhere'] });
      expect((await status(`?server_id=${on.id}`, outsider)).status).toBe(404);
      expect((await status('', outsider)).body.enabled).toBe(true);
      await save(OFF);
      expect((await status(`?server_id=${off.id}`)).body.reason).toBe('agent_off');
    });

    it('are tried before they are saved: models, and a word of the chosen one', async () => {
      models.lists(['zeta', 'alpha']);
      models.script({ says: ['ready'] });
      const tested = await test(local({ model: 'alpha', api_key: KEY }));
      expect(tested).toEqual({ ok: true, models: ['alpha', 'zeta'], detail: 'alpha answers' });
      expect(models.requests[0]?.body).toMatchObject({ model: 'alpha', stream: true });
      expect(models.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
      expect((await get()).provider).toBeNull();
      await models.idle();
    });

    it('list the models where none is chosen', async () => {
      const tested = await test(local({ model: '' }));
      expect(tested).toMatchObject({ ok: true, models: ['test-model'] });
      expect(models.requests).toEqual([]);
    });

    it('are tried with the stored key', async () => {
      await save(local({ api_key: KEY }));
      await test(local({ model: '' }));
      expect(models.listings[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    });

    it('are tried as stored without a body', async () => {
      await save(local({ api_key: KEY }));
      models.script({ says: ['ready'] });
      const response = await admin.fetch(TEST, { method: 'POST' });
      expect(await response.json()).toEqual({
        ok: true,
        models: ['test-model'],
        detail: 'test-model answers',
      });
      expect(models.listings[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
      expect((await admin.call('POST', TEST, {})).status).toBe(422);
    });

    it('are tried as stored with an empty body that is declared as JSON', async () => {
      const headers = { 'content-type': 'application/json' };
      const response = await admin.fetch(TEST, { method: 'POST', headers });
      expect([response.status, await response.json()]).toMatchObject([200, { detail: 'Choose a provider' }]);
    });

    it('are tried as stored only if there are any that can be read', async () => {
      const tested = async () => {
        const response = await admin.fetch(TEST, { method: 'POST' });
        return [response.status, await response.json()];
      };
      expect(await tested()).toMatchObject([200, { ok: false, detail: 'Choose a provider' }]);
      const { db, tables } = gateway().store;
      await db.update(tables.agent_settings).set({ config_sealed: 'v2:lost:AAAA:AAAA' });
      expect(await tested()).toMatchObject([503, { code: 'agent_off' }]);
    });

    it('say why a provider cannot be used, without the key', async () => {
      const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}.` } });
      models.lists({ status: 401, body });
      models.script({ status: 401, body });
      expect(await test(local({ api_key: KEY }))).toEqual({
        ok: false,
        models: [],
        detail: 'The provider refused the API key (HTTP 401): Incorrect API key provided: [hidden]',
      });
      expect(await test({ ...OFF })).toMatchObject({ ok: false, detail: 'Choose a provider' });
    });

    it('are tried although the provider lists no models', async () => {
      models.lists({ status: 404 });
      models.script({ says: ['ready'] });
      expect(await test(local())).toEqual({ ok: true, models: [], detail: 'test-model answers' });
    });

    it('leave no request behind when the administrator does not wait', async () => {
      models.lists(SILENT);
      const leaving = new AbortController();
      const body = JSON.stringify(local());
      const headers = { 'content-type': 'application/json' };
      const asking = admin
        .fetch(TEST, { method: 'POST', headers, body, signal: leaving.signal })
        .catch(() => 'left');
      await expect.poll(() => models.listings.length).toBe(1);
      leaving.abort();
      expect(await asking).toBe('left');
      await models.idle();
    });
  },
  { env: LOCAL_MODELS },
);
