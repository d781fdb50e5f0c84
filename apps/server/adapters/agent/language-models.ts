import { z } from 'zod';
import { baseUrlOf } from '#core/model/agent.ts';
import {
  type LanguageModels,
  type ModelAddress,
  type ModelEvent,
  ModelFailed,
  type ModelRequest,
} from '#core/ports/agent.ts';
import { createCallReader } from './calls.ts';
import { createModelGuard } from './guard.ts';
import { type Line, type LineOptions, openLine } from './line.ts';
import { type SdkModel, toSdkRequest } from './prompt.ts';
import { incomplete, toModelFailed } from './reasons.ts';

const LIMITS = { header_ms: 120_000, silence_ms: 60_000, limit_bytes: 4 * 1024 * 1024 };

const MAX_MODELS = 2000; // OpenRouter has some 500
const MAX_NAME = 200;
const MAX_TOKENS_COUNTED = 1_000_000_000;

type Options = Omit<LineOptions, 'limits' | 'guard'> & {
  readonly limits?: LineOptions['limits'];
  /** The setting `webhook_allow_private`, asked each time. */
  readonly allowsPrivate: () => boolean;
};

/** The provider packages of the AI SDK, loaded on first use. Its `streamText` would read the whole answer ahead. */
export function createLanguageModels({
  limits = LIMITS,
  allowsPrivate,
  ...options
}: Options): LanguageModels {
  const guard = createModelGuard(allowsPrivate);
  const lined = { ...options, limits, guard };
  return {
    objection: guard.objection,

    async *stream(address, request) {
      const line = openLine(address, request.signal, lined);
      try {
        yield* answer(address, request, line);
      } catch (error) {
        request.signal.throwIfAborted();
        throw line.failure() ?? toModelFailed(error, address.api_key);
      } finally {
        line.close();
      }
    },

    async models(address, signal) {
      const line = openLine(address, signal, lined);
      try {
        return namesIn(await line.json(listPath(address), keyHeaders(address)));
      } finally {
        line.close();
      }
    },
  };
}

async function* answer(address: ModelAddress, request: ModelRequest, line: Line): AsyncGenerator<ModelEvent> {
  const model = await openModel(address, line.fetch);
  request.signal.throwIfAborted();
  const { stream } = await model.doStream(toSdkRequest(request));
  yield* eventsOf(stream, request);
}

type Part = Awaited<ReturnType<SdkModel['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

async function* eventsOf(parts: AsyncIterable<Part>, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const calls = createCallReader(request);
  let is_complete = false;
  let said = 0;
  for await (const part of parts) {
    switch (part.type) {
      case 'text-delta':
        said += part.delta.length;
        if (part.delta !== '') yield { kind: 'text', delta: part.delta };
        break;
      case 'reasoning-delta':
        said += part.delta.length;
        break;
      case 'tool-input-start':
        calls.grow(part.id, '');
        break;
      case 'tool-input-delta':
        said += part.delta.length;
        calls.grow(part.id, part.delta);
        break;
      case 'tool-call':
        yield { kind: 'tool_call', call: calls.toCall(part) };
        break;
      case 'finish':
        if (part.finishReason.raw === undefined) throw incomplete(); // the SDK takes any end for one
        is_complete = true;
        yield usageOf(part.usage, { asked: sizeOf(request), said });
        break;
      case 'error':
        throw part.error;
    }
  }
  if (!is_complete) throw incomplete();
}

const CHARACTERS_PER_TOKEN = 4; // of English text, about

/** What the provider counted, or else an estimate: budgets must not depend on its good will. */
function usageOf(
  { inputTokens, outputTokens }: Extract<Part, { type: 'finish' }>['usage'],
  { asked, said }: { readonly asked: number; readonly said: number },
): ModelEvent {
  return {
    kind: 'usage',
    input_tokens: counted(inputTokens.total) ?? Math.ceil(asked / CHARACTERS_PER_TOKEN),
    output_tokens: counted(outputTokens.total) ?? Math.ceil(said / CHARACTERS_PER_TOKEN),
  };
}

function counted(tokens: number | undefined): number | undefined {
  if (tokens === undefined || !Number.isFinite(tokens) || tokens < 0) return undefined;
  return Math.min(Math.round(tokens), MAX_TOKENS_COUNTED);
}

function sizeOf({ system, messages, tools }: ModelRequest): number {
  return JSON.stringify([system, messages, tools]).length;
}

async function openModel(address: ModelAddress, fetch: Line['fetch']): Promise<SdkModel> {
  const { provider, model, api_key } = address;
  const baseURL = baseUrlOf(address);
  // Without a key, the SDK would look for one in the environment.
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL, apiKey: api_key, fetch })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const transformRequestBody = isOpenAi(baseURL) ? withCompletionTokens : undefined;
  const options = { name: provider, baseURL, apiKey: api_key, fetch, includeUsage: true };
  return createOpenAICompatible({ ...options, ...(transformRequestBody && { transformRequestBody }) })(model);
}

function isOpenAi(base_url: string): boolean {
  return /(^api\.openai\.com|\.openai\.azure\.com|\.services\.ai\.azure\.com)$/.test(
    new URL(base_url).hostname,
  );
}

/** OpenAI's newer models refuse `max_tokens`. */
function withCompletionTokens({ max_tokens: max_completion_tokens, ...body }: Record<string, unknown>) {
  return { ...body, max_completion_tokens };
}

function listPath({ provider }: ModelAddress): string {
  return provider === 'anthropic' ? '/models?limit=1000' : '/models';
}

function keyHeaders({ provider, api_key }: ModelAddress): Record<string, string> {
  if (provider === 'anthropic') return { 'anthropic-version': '2023-06-01', 'x-api-key': api_key };
  return api_key === '' ? {} : { authorization: `Bearer ${api_key}` };
}

const Listing = z.object({ data: z.custom<readonly unknown[]>(Array.isArray) });
const Listed = z.object({ id: z.string().min(1).max(MAX_NAME) });

/** Entries are judged one by one: a schema for all of them would collect what is wrong with each of a million. */
function namesIn(sent: unknown): string[] {
  const listing = Listing.safeParse(sent);
  if (!listing.success) throw new ModelFailed('The provider sent no list of models');
  const first = listing.data.data.slice(0, MAX_MODELS);
  const listed = first.flatMap((one) => Listed.safeParse(one).data?.id ?? []);
  if (listed.length < first.length) throw new ModelFailed('The provider sent no list of models');
  return [...new Set(listed.filter((id) => !/\p{C}/u.test(id)))].sort();
}
