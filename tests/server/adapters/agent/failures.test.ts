import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ModelAddress } from '#core/ports/agent.ts';
import {
  addressOf,
  eventsOf,
  KEY,
  languageModels,
  namesOf,
  reasonOf,
  requestOf,
} from '../../../support/agent/ask.ts';
import {
  type ModelServer,
  type Reply,
  SILENT,
  startModelServer,
} from '../../../support/agent/model-server.ts';
import { longestHold } from '../../../support/event-loop.ts';
import { freePort } from '../../../support/hosts/tcp.ts';

const EVENTS = { 'content-type': 'text/event-stream' };
const INCOMPLETE = 'The answer of the provider ended before it was complete';
const NOT_PUBLIC = 'The address is not public; allow private addresses to use it';
const FORBIDDEN = 'The address must not be link-local or the metadata service of a cloud';

let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer();
});
afterEach(async () => {
  await models.idle();
  models.reset();
});
afterAll(() => models.stop());

const SHORT = { header_ms: 300, silence_ms: 300 };
/** Short only for a provider that keeps silent: others may be slow on a busy machine. */
const limitsFor = (reply: Reply) =>
  reply === SILENT || ('ending' in reply && reply.ending === 'stall') ? SHORT : {};
const SMALL = { limit_bytes: 100_000 };
const failing = (address: Partial<ModelAddress> = {}, names = namesOf('127.0.0.1'), limits = {}) =>
  reasonOf(eventsOf(languageModels(limits, names).stream(addressOf(models.url, address), requestOf())));
const listing = (address: Partial<ModelAddress> = {}, names = namesOf('127.0.0.1'), limits = {}) => {
  const { signal } = new AbortController();
  return reasonOf(languageModels(limits, names).models(addressOf(models.url, address), signal));
};
const errorBody = (message: string) => JSON.stringify({ error: { message, type: 'x', code: null } });
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

describe('A provider that', () => {
  it.each<[string, Reply, string]>([
    [
      'refuses the key',
      { status: 401, body: errorBody(`Incorrect API key provided: ${KEY}. See https://example.com`) },
      'The provider refused the API key (HTTP 401): Incorrect API key provided: [hidden]. See https://example.com',
    ],
    [
      'is over its limit',
      { status: 429, headers: { 'retry-after': '1' }, body: errorBody('Slow down') },
      'The limit of the provider is reached (HTTP 429): Slow down',
    ],
    [
      'switches the protocol',
      { status: 101, headers: { connection: 'upgrade', upgrade: 'x' } },
      'The response is not HTTP',
    ],
    ['fails', { status: 500, body: errorBody('Oops') }, 'The provider failed (HTTP 500): Oops'],
    ['fails with a page', { status: 502, body: '<h1>Bad gateway</h1>' }, 'The provider failed (HTTP 502)'],
    [
      'knows no such model',
      { status: 404, body: '{"error":"model \\"x\\" not found"}' },
      'The provider does not know this address or model (HTTP 404): model "x" not found',
    ],
    [
      'refuses tools',
      { status: 400, body: errorBody('test-model does not support tools') },
      'The provider refused the request (HTTP 400): test-model does not support tools',
    ],
    [
      'redirects',
      { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
      'The address redirects to another one, which is not followed (HTTP 307)',
    ],
    [
      'is a web page',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Hello' },
      'The address answers with a web page',
    ],
    ['streams nothing', { status: 200, headers: EVENTS, body: '' }, INCOMPLETE],
    ['does not stream', { status: 200, body: '{"choices":[]}' }, INCOMPLETE],
    ['says nothing', SILENT, 'No response within 0.3 s'],
    ['stalls', { says: ['one'], ending: 'stall' }, 'No data for 0.3 s'],
    ['hangs up', { says: ['one'], ending: 'drop' }, 'The connection was closed in mid-response'],
    ['ends in the middle of an event', { says: ['one'], ending: 'cut' }, INCOMPLETE],
    ['ends without an end', { says: ['one'], ending: 'end' }, INCOMPLETE],
    [
      'says too much',
      { says: Array(200).fill('x'.repeat(1000)) },
      'The response is larger than 100000 bytes',
    ],
    [
      'sends broken JSON',
      { status: 200, headers: EVENTS, body: 'data: {"choices": [{]}\n\n' },
      'The answer of the provider is not valid JSON',
    ],
    [
      'sends another form',
      { status: 200, headers: EVENTS, body: event({ choices: 'none' }) },
      'The answer of the provider has an unknown form',
    ],
    [
      'gives up while it answers',
      { status: 200, headers: EVENTS, body: event({ error: { message: `No credit left for ${KEY}` } }) },
      'The provider failed: No credit left for [hidden]',
    ],
    [
      'calls too many tools',
      { calls: Array(17).fill({ tool: 'list' }) },
      'The model called more than 16 tools at once',
    ],
    [
      'calls with too much',
      { calls: [{ tool: 'list', arguments: { path: 'x'.repeat(70_000) } }] },
      'The model called a tool with more than 64 KiB of arguments',
    ],
  ])('%s ends with its reason and no connection', async (_what, reply, reason) => {
    models.script(reply);
    const tools = [{ name: 'list', description: 'Lists', parameters: { type: 'object' } }];
    const size = 'calls' in Object(reply) ? { limit_bytes: 8 * 1024 ** 2 } : SMALL;
    const adapter = languageModels({ ...limitsFor(reply), ...size });
    const answer = adapter.stream(addressOf(models.url), requestOf({ tools }));
    expect(await reasonOf(eventsOf(answer))).toBe(reason);
    await models.idle();
    expect(models.requests).toHaveLength(1);
  });

  it.each<[string, Reply, string]>([
    ['refuses', { status: 401 }, 'The provider refused the API key (HTTP 401)'],
    ['stalls', { says: ['one'], ending: 'stall' }, 'No data for 0.3 s'],
    ['hangs up', { says: ['one'], ending: 'drop' }, 'The connection was closed in mid-response'],
    ['ends without an end', { says: ['one'], ending: 'end' }, INCOMPLETE],
    ['ends in the middle of an event', { says: ['one'], ending: 'cut' }, INCOMPLETE],
    [
      'gives up while it answers',
      {
        status: 200,
        headers: EVENTS,
        body: `event: error\n${event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}`,
      },
      'The provider failed: Overloaded',
    ],
  ])('speaks like Anthropic and %s ends the same way', async (_what, reply, reason) => {
    models.script(reply);
    expect(await failing({ provider: 'anthropic' }, undefined, limitsFor(reply))).toBe(reason);
  });

  it.each([
    [
      'does not listen',
      async () => ({ base_url: `http://127.0.0.1:${await freePort()}/v1` }),
      'The connection was refused',
    ],
    ['speaks no TLS', async () => ({ base_url: models.url.replace('http', 'https') }), /^TLS: /],
  ])('%s is named as such', async (_what, address, reason) => {
    expect(await failing(await address())).toMatch(reason);
    expect(await listing(await address())).toMatch(reason);
  });

  it.each([
    ['other JSON', '{"models": []}'],
    ['no JSON', 'zeta'],
    ['JSON of too many levels', `{"data": [], "more": ${'['.repeat(40)}${']'.repeat(40)}}`],
    ['ids that are numbers', '{"data": [{"id": 7}]}'],
  ])('lists its models as %s lists none', async (_what, body) => {
    models.lists({ status: 200, body });
    expect(await listing()).toBe('The provider sent no list of models');
  });

  it('lists models without end, or never, ends too', async () => {
    models.lists({ status: 200, body: 'x'.repeat(200_000) });
    expect(await listing({}, undefined, SMALL)).toBe('The response is larger than 100000 bytes');
    models.lists(SILENT);
    expect(await listing({}, undefined, SHORT)).toBe('No response within 0.3 s');
  });
});

const many = (item: string, chars: number) => item.repeat(Math.ceil(chars / item.length)).replace(/,$/, '');
const OF_CALL = '{"index":0,"function":{"arguments":""}},';
const calling = (calls: string) => `data: {"choices":[{"delta":{"tool_calls":[${calls}]}}]}\n\n`;

it.each([
  ['values', calling(many(OF_CALL, 120_000))],
  ['bytes', calling(many(OF_CALL, 2_000_000))],
  ['bytes of text', event({ choices: [{ delta: { content: 'x'.repeat(140_000) } }] })],
  ['values behind a quote', `: "\r${calling(many(OF_CALL, 120_000))}`],
  ['values behind a line', `x: "\n${calling(many(OF_CALL, 120_000))}`],
  ['values in many lines', `${'data: [{},{}\r\n'.repeat(2000)}\n`],
])('An event with too many %s is refused before it holds the event loop', async (_what, body) => {
  const reply = { status: 200, headers: EVENTS, body };
  models.script(reply, reply);
  await failing(); // compiled by now
  const { held_ms, result } = await longestHold(() => failing());
  expect(result).toBe('An event of the provider is too large');
  expect(held_ms).toBeLessThan(200);
});

it('A large event with few values arrives, whatever its text holds', async () => {
  const content = '{[,"\\'.repeat(10_000);
  const body = event({ choices: [{ delta: { content }, finish_reason: 'stop' }] });
  models.script({ status: 200, headers: EVENTS, body });
  const events = await eventsOf(languageModels().stream(addressOf(models.url), requestOf()));
  expect(events).toContainEqual({ kind: 'text', delta: content });
});

it('A list of a million wrong models takes no time', async () => {
  models.lists({ status: 200, body: `{"data":[${many('{},', 3_900_000)}]}` });
  const began_us = process.cpuUsage().user;
  expect(await listing({}, undefined, { limit_bytes: 4 * 1024 ** 2 })).toBe(
    'The provider sent no list of models',
  );
  expect(process.cpuUsage().user - began_us).toBeLessThan(2_000_000);
});

it('A burst of tiny events does not hold the event loop', async () => {
  const tiny = event({ choices: [{ delta: { content: 'x' } }] });
  const reply = { status: 200, headers: EVENTS, body: tiny.repeat(2000) };
  models.script({ ending: 'end' }, reply);
  const adapter = languageModels({ limit_bytes: 8 * 1024 ** 2 });
  const ask = () => reasonOf(eventsOf(adapter.stream(addressOf(models.url), requestOf())));
  await ask(); // loads the SDK
  const { held_ms, result } = await longestHold(ask);
  expect(result).toBe(INCOMPLETE);
  expect(held_ms).toBeLessThan(100);
}, 20_000);

describe('The words of a provider', () => {
  const said = async (message: string, api_key = KEY) => {
    models.script({ status: 400, body: errorBody(message) });
    return (await failing({ api_key })).replace('The provider refused the request (HTTP 400): ', '');
  };

  it.each([
    [`key ${KEY} is wrong`, 'key [hidden] is wrong'],
    [`key "${KEY.slice(0, 12)}..." is wrong`, 'key "[hidden]" is wrong'],
    [`key ...${KEY.slice(-9)} is wrong`, 'key [hidden] is wrong'],
    [KEY.toUpperCase(), '[hidden]'],
    ['key sk-proj-abcdef123 is wrong', 'key [hidden] is wrong'],
    ['key ab******yz is wrong', 'key [hidden] is wrong'],
    ['sent Authorization: Bearer abc.def', 'sent Authorization: [hidden]'],
    ['model gpt-4o-2024-08-06 is unknown', 'model gpt-4o-2024-08-06 is unknown'],
  ])('%j are shown as %j', async (message, shown) => {
    expect(await said(message)).toBe(shown);
  });

  it('are one line of at most 300 printable characters', async () => {
    expect(await said('a\u001b[31m\r\n\u202eb\u0000c')).toBe('a [31m b c');
    expect([...(await said('🐎'.repeat(5000)))].length).toBe(300);
  });

  it('are not searched for a key that is missing or short', async () => {
    expect(await said('abc is wrong', '')).toBe('abc is wrong');
    expect(await said('abc is wrong', 'abc')).toBe('[hidden] is wrong');
  });
});

describe('An address', () => {
  const PUBLIC = { allow_private_address: false };

  it.each([
    ['http://models.example/v1', 'The address must be an https URL unless private addresses are allowed'],
    ['https://127.0.0.1/v1', NOT_PUBLIC],
    ['https://localhost/v1', NOT_PUBLIC],
    ['https://[::1]/v1', NOT_PUBLIC],
    ['https://169.254.169.254/v1', NOT_PUBLIC],
    ['ftp://models.example/v1', 'The address must be an https URL'],
    ['https://models.example/v1?x=1', 'The address must not have a query (?…)'],
    ['https://models.example/v1#x', 'The URL must not contain a fragment (#…)'],
    ['https://a:b@models.example/v1', 'The URL must not contain a username or a password'],
    ['models.example', 'The address is not a URL'],
    ['', 'This provider needs an address'],
  ])('like %j is refused without the switch: %s', async (base_url, reason) => {
    expect(await failing({ base_url, ...PUBLIC })).toBe(reason);
    expect(await listing({ base_url, ...PUBLIC })).toBe(reason);
    expect(models.listings).toEqual([]);
  });

  it.each([[['127.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['::ffff:192.168.0.1']], [['169.254.169.254']]])(
    'whose name resolves to %j is refused without the switch',
    async (addresses) => {
      const base_url = `https://models.test:${new URL(models.url).port}/v1`;
      expect(await failing({ base_url, ...PUBLIC }, namesOf(...addresses))).toBe(NOT_PUBLIC);
      expect(await listing({ base_url, ...PUBLIC }, namesOf(...addresses))).toBe(NOT_PUBLIC);
      expect(models.openConnections()).toBe(0);
    },
  );

  it.each([
    ['169.254.169.254'],
    ['fe80::1'],
    ['168.63.129.16'],
    ['fd00:ec2::254'],
    ['100.100.100.200'],
    ['0.0.0.0'],
  ])('whose name resolves to %s is refused with the switch, too', async (address) => {
    expect(await failing({ base_url: 'http://models.test/v1' }, namesOf(address))).toBe(FORBIDDEN);
  });

  it('is connected to as it was checked', async () => {
    models.script({ says: ['x'] });
    const base_url = `http://models.test:${new URL(models.url).port}/v1`;
    await eventsOf(languageModels().stream(addressOf(base_url), requestOf()));
    expect(models.requests[0]?.headers.host).toBe(new URL(base_url).host);
  });

  it.each([
    ['http://models.example/v1', 'an https URL unless private addresses are allowed in the settings, too'],
    ['https://127.0.0.1/v1', 'not public; private addresses must be allowed in the settings, too'],
  ])('like %j is refused with the switch alone', (base_url, reason) => {
    const { objection } = languageModels({}, namesOf('127.0.0.1'), false);
    expect(objection(addressOf(base_url))).toContain(reason);
  });

  it('whose name resolves to a private address is refused with the switch alone', async () => {
    const asked = languageModels({}, namesOf('10.0.0.1'), false);
    const listed = asked.models(addressOf('https://models.test/v1'), AbortSignal.timeout(10_000));
    await expect(listed).rejects.toThrow('private addresses must be allowed in the settings, too');
  });

  it('of each provider is its own unless another is set', () => {
    const { objection } = languageModels();
    const judged = (provider: ModelAddress['provider'], allow_private_address: boolean) =>
      objection({ provider, base_url: '', allow_private_address });
    expect(judged('openrouter', false)).toBeUndefined();
    expect(judged('anthropic', false)).toBeUndefined();
    expect(judged('ollama', true)).toBeUndefined();
    expect(judged('ollama', false)).toBeDefined();
    expect(judged('openai_compatible', true)).toBeDefined();
  });
});
