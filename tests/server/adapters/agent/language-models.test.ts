import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ModelAddress, ModelEvent, ModelRequest } from '#core/ports/agent.ts';
import { addressOf, eventsOf, KEY, languageModels, requestOf } from '../../../support/agent/ask.ts';
import { type ModelServer, SILENT, startModelServer } from '../../../support/agent/model-server.ts';

const PROVIDERS = ['openai_compatible', 'openrouter', 'ollama', 'anthropic'] as const;
const PATH = { type: 'object', properties: { path: { type: 'string' } } };
const TOOLS = [{ name: 'list', description: 'Lists a directory', parameters: PATH }];
const USAGE = { kind: 'usage', input_tokens: 10, output_tokens: 5 };

let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer();
});
afterEach(async () => {
  await models.idle();
  models.reset();
});
afterAll(() => models.stop());

const stream = (address: Partial<ModelAddress> = {}, request: Partial<ModelRequest> = {}) =>
  languageModels().stream(addressOf(models.url, address), requestOf(request));
const ask = (address: Partial<ModelAddress> = {}, request: Partial<ModelRequest> = {}) =>
  eventsOf(stream(address, request));
const callsIn = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.kind === 'tool_call' ? [event.call] : []));
const textIn = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.kind === 'text' ? event.delta : '')).join('');

describe.each(PROVIDERS)('An answer of %s', (provider) => {
  it('streams its text as it comes, then what was used', async () => {
    models.script({ says: ['The disk ', 'is full.'] });
    const text = ['The disk ', 'is full.'].map((delta) => ({ kind: 'text', delta }));
    expect(await ask({ provider })).toEqual([...text, USAGE]);
  });

  it('calls tools, with the arguments as parsed', async () => {
    const args = { path: '/var/log', depth: 2 };
    models.script({
      says: ['Looking.'],
      calls: [
        { tool: 'list', arguments: args },
        { tool: 'list', arguments: '' },
      ],
    });
    expect(await ask({ provider }, { tools: TOOLS })).toEqual([
      { kind: 'text', delta: 'Looking.' },
      { kind: 'tool_call', call: { id: 'call_1', tool: 'list', arguments: args } },
      { kind: 'tool_call', call: { id: 'call_2', tool: 'list', arguments: {} } },
      USAGE,
    ]);
  });

  it('reports calls of unknown tools, and arguments that are no JSON object as undefined', async () => {
    const deep = `{"a":${'['.repeat(40)}${']'.repeat(40)}}`;
    const broken = ['{"path": "/va', '[1]', '"text"', 'null', '{"__proto__": {"x": 1}}', deep];
    models.script({ calls: broken.map((text) => ({ tool: 'rm -rf', arguments: text })) });
    const calls = callsIn(await ask({ provider }, { tools: TOOLS }));
    expect(calls.map(({ tool, arguments: args }) => [tool, args])).toEqual(
      broken.map(() => ['rm_-rf', undefined]),
    );
  });

  it('gives each call an id of its own in the whole conversation', async () => {
    const call = { id: 'call_1', tool: 'list', arguments: {} };
    const messages = [
      { role: 'user', text: 'Go on' },
      { role: 'assistant', text: '', calls: [call] },
      { role: 'tool', call, text: 'empty' },
    ] as const;
    models.script({ calls: ['call_1', 'a b', 'x'.repeat(200)].map((id) => ({ tool: 'list', id })) });
    const ids = callsIn(await ask({ provider }, { messages, tools: TOOLS })).map(({ id }) => id);
    expect(new Set(['call_1', ...ids]).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/);
  });

  it('is asked with the key, as a stream, once, and without traces of this machine', async () => {
    models.script({ says: ['x'] });
    await ask({ provider });
    const [call] = models.requests;
    const header = provider === 'anthropic' ? call?.headers['x-api-key'] : call?.headers.authorization;
    expect(header).toBe(provider === 'anthropic' ? KEY : `Bearer ${KEY}`);
    expect(call?.headers['user-agent']).toBe('sallyport');
    expect(call?.body).toMatchObject({ model: 'test-model', stream: true, max_tokens: 500 });
    expect(models.requests).toHaveLength(1);
  });

  it('lists its models by name, each once', async () => {
    models.lists(['zeta', 'alpha', 'zeta', 'bad\u001b[31m']);
    const { signal } = new AbortController();
    expect(await languageModels().models(addressOf(models.url, { provider }), signal)).toEqual([
      'alpha',
      'zeta',
    ]);
  });

  it('closes its connection as soon as it is aborted', async () => {
    const leaving = new AbortController();
    models.script({ says: ['one'], ending: 'stall' });
    const answer = stream({ provider }, { signal: leaving.signal })[Symbol.asyncIterator]();
    expect((await answer.next()).value).toEqual({ kind: 'text', delta: 'one' });
    const next = answer.next();
    leaving.abort(new Error('cancelled'));
    await expect(next).rejects.toThrow('cancelled');
    await models.idle();
  });

  it('closes its connection when nobody reads on', async () => {
    models.script({ says: ['one', 'two'], ending: 'stall' });
    for await (const event of stream({ provider })) {
      expect(event).toEqual({ kind: 'text', delta: 'one' });
      break;
    }
    await models.idle();
  });
});

describe('A request', () => {
  it('carries the conversation with the calls and their results', async () => {
    const call = { id: 'call_1', tool: 'list', arguments: { path: '/' } };
    models.script({ says: ['x'] });
    await ask(
      {},
      {
        messages: [
          { role: 'user', text: 'Look' },
          { role: 'assistant', text: 'I look.', calls: [call] },
          { role: 'tool', call, text: 'var 99%' },
          { role: 'assistant', text: '', calls: [] },
          { role: 'user', text: 'And?' },
        ],
        tools: TOOLS,
      },
    );
    const [sent] = models.requests;
    const name = 'list';
    expect(sent?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Look' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: '{"path":"/"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'var 99%' },
      { role: 'user', content: 'And?' },
    ]);
    expect(sent?.body.tools?.map((tool) => tool.function)).toEqual([
      { name, description: 'Lists a directory', parameters: PATH },
    ]);
  });

  it('returns the signature that Gemini gave a call', async () => {
    const delta = {
      tool_calls: [
        {
          index: 0,
          id: 'call_1',
          function: { name: 'list', arguments: '{}' },
          extra_content: { google: { thought_signature: 'signed' } },
        },
      ],
    };
    const chunk = { id: 'c', choices: [{ index: 0, delta, finish_reason: 'tool_calls' }] };
    const headers = { 'content-type': 'text/event-stream' };
    models.script({ status: 200, headers, body: `data: ${JSON.stringify(chunk)}\n\n` }, { says: ['done'] });
    const [call] = callsIn(await ask({}, { tools: TOOLS }));
    if (!call) throw new Error('The model called nothing');
    const messages = [
      { role: 'user', text: 'Look' },
      { role: 'assistant', text: '', calls: [call] },
      { role: 'tool', call, text: 'empty' },
    ] as const;
    await ask({}, { messages, tools: TOOLS });
    expect(JSON.stringify(models.requests[1]?.body)).toContain('"thought_signature":"signed"');
  });

  it('sends no key where there is none, whatever the environment holds', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'of-the-environment');
    onTestFinished(() => void vi.unstubAllEnvs());
    models.always({ says: ['x'] });
    for (const provider of PROVIDERS) await ask({ provider, api_key: '' });
    expect(JSON.stringify(models.requests.map(({ headers }) => headers))).not.toMatch(/of-the-env|bearer/i);
  });

  it('to a bare address of Ollama goes to its OpenAI interface', async () => {
    models.script({ says: ['x'] });
    await ask({ provider: 'ollama', base_url: models.url.replace(/v1$/, '') });
    expect(models.requests[0]?.path).toBe('/v1/chat/completions');
  });

  it('to OpenAI itself bounds the answer by the name that its newer models accept', async () => {
    models.script({ says: ['x'] });
    await ask({ base_url: models.url.replace('127.0.0.1', 'api.openai.com') }); // the name server leads here
    const { max_tokens, max_completion_tokens } = { ...models.requests[0]?.body };
    expect([max_tokens, max_completion_tokens]).toEqual([undefined, 500]);
  });

  it('that is aborted before it is sent is not sent', async () => {
    const gone = AbortSignal.abort(new Error('too late'));
    await expect(ask({}, { signal: gone })).rejects.toThrow('too late');
    expect(models.requests).toEqual([]);
  });

  it('that is aborted while the provider thinks closes its connection', async () => {
    const leaving = new AbortController();
    models.script(SILENT);
    const asking = ask({}, { signal: leaving.signal });
    await models.hears(1);
    leaving.abort(new Error('cancelled'));
    await expect(asking).rejects.toThrow('cancelled');
  });

  it('prints nothing', async () => {
    const printed = (['log', 'info', 'warn', 'error'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(() => undefined),
    );
    models.script({ says: ['x'] }, { status: 500 }, { says: ['x'], ending: 'drop' });
    await ask();
    await ask().catch(() => undefined);
    await ask().catch(() => undefined);
    const lines = printed.flatMap((spy) => spy.mock.calls);
    vi.restoreAllMocks();
    expect(lines).toEqual([]);
  });
});

describe('Usage', () => {
  it('is estimated where the provider counts nothing', async () => {
    models.script({ says: ['x'.repeat(400)], usage: null });
    const usage = (await ask({}, { system: 's'.repeat(4000) })).at(-1);
    expect(usage).toMatchObject({ kind: 'usage', output_tokens: 100 });
    expect(usage?.kind === 'usage' && usage.input_tokens).toBeGreaterThan(1000);
  });

  it.each([[{ input: -5, output: -1 }], [{ input: 1e300, output: 1.5 }]])(
    'of %j stays a count',
    async (usage) => {
      models.script({ says: ['x'], usage });
      const last = (await ask()).at(-1);
      if (last?.kind !== 'usage') throw new Error('No usage');
      for (const tokens of [last.input_tokens, last.output_tokens]) {
        expect(Number.isInteger(tokens) && tokens >= 0 && tokens <= 1_000_000_000).toBe(true);
      }
    },
  );
});

describe('A fast provider', () => {
  it('waits for a slow reader', async () => {
    let sent = 0;
    function* endless() {
      for (;;) {
        sent += 1;
        yield 'x'.repeat(1000);
      }
    }
    models.script({ says: endless() });
    const answer = languageModels({ limit_bytes: 1024 ** 3 })
      .stream(addressOf(models.url), requestOf())
      [Symbol.asyncIterator]();
    await answer.next();
    let before = -1;
    const hasStopped = () => {
      const is_same = sent === before;
      before = sent;
      return is_same;
    };
    await expect.poll(hasStopped, { interval: 200 }).toBe(true);
    expect(sent).toBeLessThan(20_000); // some MiB in the buffers of sockets
    await answer.return?.();
  });
});

describe('The SDK', () => {
  it('is loaded only when it is used', () => {
    const folder = 'apps/server/adapters/agent';
    for (const file of readdirSync(folder)) {
      const source = readFileSync(`${folder}/${file}`, 'utf8');
      expect(source).not.toMatch(/^import (?!type ).* from '@ai-sdk\/.*';$/m);
    }
  });
});

it('A long text arrives whole', async () => {
  const says = Array.from({ length: 200 }, (_, at) => `${at} äöü 🐎 `);
  models.script({ says });
  expect(textIn(await ask())).toBe(says.join(''));
});
