import { createGiveWay, type GiveWay } from '#core/lib/concurrency/give-way.ts';
import { baseUrlOf } from '#core/model/agent.ts';
import { type ModelAddress, ModelFailed } from '#core/ports/agent.ts';
import { ExchangeFailed } from '#core/ports/outside.ts';
import type { HostLookup } from '#worker/names/host-lookup.ts';
import { type Exchanged, exchange, type ReadingLimits } from '../outbound/exchange.ts';
import { readJson } from '../outbound/json.ts';
import { createEventBound } from './event-bound.ts';
import type { ModelGuard } from './guard.ts';
import { statusFailure, toModelFailed } from './reasons.ts';

export interface LineLimits extends ReadingLimits {
  /** Until the response begins: a local model is loaded into memory first. */
  readonly header_ms: number;
}

export interface LineOptions {
  readonly names: HostLookup;
  /** Replaces the certificate authorities that Node.js trusts. */
  readonly ca?: string | undefined;
  readonly limits: LineLimits;
  readonly guard: ModelGuard;
}

/** The requests of one call to a provider. */
export interface Line {
  /** For the SDK: succeeds only with a response of the provider that is a success. */
  readonly fetch: typeof fetch;
  /** Undefined for a response that is not JSON. */
  json(path: string, headers: Readonly<Record<string, string>>): Promise<unknown>;
  /** What went wrong on the line, which the SDK wraps in its own errors. */
  failure(): ModelFailed | undefined;
  /** Closes what is still open. */
  close(): void;
}

const SLICE_BYTES = 512; // some ten events, which keep the SDK busy for a millisecond

const ERROR_BYTES = 64 * 1024;

type Sent = Pick<Parameters<typeof exchange>[0], 'url' | 'method' | 'headers' | 'body'>;

/** Throws for an address that may not be used. */
export function openLine(address: ModelAddress, signal: AbortSignal, options: LineOptions): Line {
  const { limits, guard } = options;
  const refusal = guard.objection(address);
  if (refusal !== undefined) throw new ModelFailed(refusal, { is_refusal: true });
  const { send, close } = createExchanges(address, signal, options);
  let failed: ModelFailed | undefined;

  /** Keeps the first failure. */
  function noted(error: unknown): unknown {
    if (signal.aborted) return signal.reason;
    failed ??= toModelFailed(error, address.api_key);
    return failed;
  }

  async function noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw noted(error);
    }
  }

  async function* body(response: Exchanged): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    try {
      yield* boundedBody(response, limits);
    } catch (error) {
      throw noted(error);
    }
  }

  return {
    fetch: (input, init = {}) =>
      noting(async () => {
        const headers = Object.fromEntries(new Headers(init.headers));
        const url = new URL(String(input));
        const response = await send({ url, method: 'POST', headers, body: textOf(init) });
        if (/html/i.test(response.content_type)) throw new ModelFailed('The address answers with a web page');
        return new Response(ReadableStream.from(body(response)));
      }),

    json: (path, headers) =>
      noting(async () => {
        const url = new URL(`${baseUrlOf(address)}${path}`);
        const response = await send({ url, method: 'GET', headers });
        return await readJson(response.read(limits));
      }),

    failure: () => failed,
    close,
  };
}

/** Sends requests, and accepts no response but a success. */
function createExchanges(address: ModelAddress, signal: AbortSignal, options: LineOptions) {
  const { names, ca, limits, guard } = options;
  const open = new Set<Exchanged>();
  return {
    async send(sent: Sent): Promise<Exchanged> {
      const rule = { names, ...guard.rule(address), ca };
      const headers = { ...sent.headers, 'user-agent': 'sallyport' };
      const request = { ...sent, headers, timeout_ms: limits.header_ms, signal };
      const response = await exchange(request, rule).catch(unanswered);
      open.add(response);
      if (response.status >= 200 && response.status < 300) return response;
      if (response.status === 101) throw new ModelFailed('The response is not HTTP', { is_refusal: true });
      throw statusFailure(response.status, await beginningOf(response.read(limits)), address.api_key);
    },
    close() {
      for (const response of open) response.close();
    },
  };
}

async function* boundedBody(
  response: Exchanged,
  limits: LineLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const giveWay = createGiveWay();
  const bound = createEventBound();
  for await (const piece of response.read(limits)) {
    for await (const slice of inSlices(piece, giveWay)) {
      bound(slice);
      yield slice;
    }
  }
}

/** Small enough that no burst of tiny events holds the event loop. */
async function* inSlices(piece: Uint8Array, giveWay: GiveWay): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for (let at = 0; at < piece.byteLength; at += SLICE_BYTES) {
    await giveWay();
    yield new Uint8Array(piece.subarray(at, at + SLICE_BYTES));
  }
}

/** Without a response, the provider has done nothing for the request, as far as anybody can tell. */
function unanswered(error: unknown): never {
  throw error instanceof ExchangeFailed ? new ModelFailed(error.message, { is_refusal: true }) : error;
}

/** The SDK sends JSON text. */
function textOf({ body }: RequestInit): string {
  if (typeof body !== 'string') throw new TypeError('The SDK sent a body that is not text');
  return body;
}

/** The beginning of an error's text; a failure to read it counts as its end. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      total += piece.byteLength;
      if (total >= ERROR_BYTES) break;
    }
  } catch {
    // the status says enough
  }
  return Buffer.concat(pieces).toString();
}
