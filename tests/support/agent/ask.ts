import type { LookupAddress } from 'node:dns';
import { type ModelAddress, type ModelEvent, ModelFailed, type ModelRequest } from '#core/ports/agent.ts';
import { createLanguageModels } from '#server/adapters/agent/language-models.ts';
import type { HostLookup } from '#worker/names/host-lookup.ts';

export const KEY = 'secret-key-0123456789abcdef';

/** A name server that gives every name these addresses. */
export function namesOf(...addresses: string[]): HostLookup {
  const found = addresses.map(
    (address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }),
  );
  return { find: () => ({ addresses: Promise.resolve(found), leave() {} }) };
}

/** The adapter, with limits that a test can reach. */
export function languageModels(limits: object = {}, names = namesOf('127.0.0.1'), allow_private = true) {
  const usual = { header_ms: 10_000, silence_ms: 10_000, limit_bytes: 1024 * 1024 };
  return createLanguageModels({ names, allowsPrivate: () => allow_private, limits: { ...usual, ...limits } });
}

export function addressOf(base_url: string, changes: Partial<ModelAddress> = {}): ModelAddress {
  const plain = { provider: 'openai_compatible', model: 'test-model' } as const;
  return { ...plain, base_url, api_key: KEY, allow_private_address: true, ...changes };
}

export function requestOf(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'Be brief.',
    messages: [{ role: 'user', text: 'Why is the disk full?' }],
    tools: [],
    max_output_tokens: 500,
    signal: new AbortController().signal,
    ...changes,
  };
}

export async function eventsOf(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The reason of a failure, which must be a `ModelFailed` without the key. */
export async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelFailed))
    throw new Error(`Not a ModelFailed: ${String(error)}`, { cause: error });
  if (`${error.message}${JSON.stringify(error)}`.includes(KEY)) throw new Error('The failure holds the key');
  if (error.cause !== undefined) throw new Error('The failure holds its cause');
  return error.message;
}
