import type { TypedResponse } from 'hono';
import type { Tickets } from '#core/accounts/tickets.ts';
import { Fault } from '#core/errors.ts';
import type { ForwardedAddresses } from '#core/instances/forwarded-addresses.ts';
import { isConnectionRefused } from '#core/lib/errors/connection-refused.ts';
import type { InstanceRow } from '#core/model/terminal.ts';
import { SECOND_AUTHORIZATION } from './authenticate.ts';
import type { AppContext, Runtime } from './env.ts';
import { ADDRESS_HEADER, decodedHeaders, pathOf, provenRequest } from './forward.ts';
import { type StreamLog, streamedBody } from './streamed-body.ts';

const ANSWER_MS = 10_000;
const FORWARDED_HEADER = 'x-sallyport-passed-on';
const PASSED_BACK = ['content-type', 'retry-after', 'www-authenticate'];
const FILE_HEADERS = ['authorization', SECOND_AUTHORIZATION, 'range', 'if-range', 'if-none-match'];
const CREDENTIALS: ReadonlySet<string> = new Set(['ticket', 'token']);

export interface ElsewhereOptions<Place> {
  readonly runtime: Pick<Runtime, 'relay' | 'onGone' | 'breakOff'>;
  readonly log: StreamLog;
  readonly addresses: ForwardedAddresses;
  readonly tickets: Pick<Tickets, 'forRelay'>;
  readonly root_path: string;
  /** The refusal when nobody listens at the address. */
  readonly refused: (home: Place) => Fault;
}

/** The response of the same route on another instance, which has the same type by contract. */
type Answer = Response & TypedResponse<never, 200, 'json'>;

type Address = Pick<InstanceRow, 'url' | 'run_id'>;

/** Relays requests to the instance that has a session or a file, which authorizes them again. */
export interface Elsewhere<Place> {
  /** `body` is the request's body, which has been read already. */
  request(c: AppContext, home: Place, body?: object): Promise<Answer>;
  socket(c: AppContext, home: Place): Promise<Response>;
  /** A request without a body. Streams the answer at the pace of the client; `is_long`: waits for it as long as the client does. */
  file(c: AppContext, home: Place, options?: { readonly is_long: boolean }): Promise<Answer>;
}

function secondAuthorization(c: AppContext): Readonly<Record<string, string>> {
  const header = c.req.header(SECOND_AUTHORIZATION);
  return header === undefined ? {} : { [SECOND_AUTHORIZATION]: header };
}

export function createElsewhere<Place extends Address>(options: ElsewhereOptions<Place>): Elsewhere<Place> {
  const { runtime, addresses, tickets, root_path, refused } = options;

  return {
    async request(c, home, body) {
      const { url, run_id } = home;
      assertNotForwarded(c);
      const path = pathOf(c, root_path);
      const headers = {
        [FORWARDED_HEADER]: '1',
        'accept-encoding': 'identity', // who answers the client compresses
        authorization: c.req.header('authorization') ?? '',
        ...secondAuthorization(c),
        [ADDRESS_HEADER]: await addresses.sign(c.var, provenRequest(c, path), run_id),
        ...(body ? { 'content-type': 'application/json' } : {}),
      };
      const init = { method: c.req.method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      const signal = AbortSignal.timeout(ANSWER_MS);
      const answer = await ask(new URL(url + path), { ...init, signal }, () => refused(home));
      const headersOf = PASSED_BACK.flatMap((name): [string, string][] => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      return asAnswer(new Response(answer.body, { status: answer.status, headers: headersOf }));
    },

    async socket(c, home) {
      const { url, run_id } = home;
      assertNotForwarded(c);
      const { ticket } = await tickets.forRelay(c.var.caller); // the caller's own ticket has been used
      const path = pathOf(c, root_path);
      const to = new URL(url + path);
      for (const [name, value] of new URL(c.req.url).searchParams) {
        if (!CREDENTIALS.has(name)) to.searchParams.set(name, value);
      }
      to.searchParams.set('ticket', ticket);
      to.protocol = to.protocol.replace('http', 'ws');
      const proven = { method: 'GET', path: path + to.search, authorization: '' };
      const headers = {
        [FORWARDED_HEADER]: '1',
        [ADDRESS_HEADER]: await addresses.sign(c.var, proven, run_id),
      };
      return runtime.relay(c, to, { headers, whenRefused: () => refused(home) });
    },

    file: createFileRelay(options),
  };
}

/** A forwarded request is not forwarded again: a stale address could send it in circles. */
function assertNotForwarded(c: AppContext): void {
  if (c.req.header(FORWARDED_HEADER) !== undefined) throw new Fault('instance_unreachable');
}

async function ask(url: URL, init: RequestInit, whenRefused: () => Fault): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' });
  } catch (cause) {
    if (isConnectionRefused(cause)) throw whenRefused();
    throw new Fault('instance_unreachable', undefined, { cause });
  }
}

function createFileRelay<Place extends Address>(options: ElsewhereOptions<Place>): Elsewhere<Place>['file'] {
  const { runtime, log, addresses, root_path, refused } = options;
  return async (c, home, { is_long } = { is_long: false }) => {
    assertNotForwarded(c);
    const path = pathOf(c, root_path) + new URL(c.req.url).search;
    const headers = new Headers({ [FORWARDED_HEADER]: '1', 'accept-encoding': 'identity' });
    headers.set(ADDRESS_HEADER, await addresses.sign(c.var, provenRequest(c, path), home.run_id));
    for (const name of FILE_HEADERS) {
      const value = c.req.header(name);
      if (value !== undefined) headers.set(name, value);
    }
    const head = createHead(c, runtime, is_long);
    const init = { method: c.req.method, headers, signal: head.signal };
    const answer = await ask(new URL(home.url + path), init, () => refused(home)).finally(head.over);
    const body = answer.body && streamedBody(c, answer.body, { runtime, log });
    return asAnswer(new Response(body, { status: answer.status, headers: decodedHeaders(answer.headers) }));
  };
}

/** Limits the wait for the head of an answer, and ends it when the client is gone. */
function createHead(c: AppContext, runtime: Pick<Runtime, 'onGone'>, is_long: boolean) {
  const head = new AbortController();
  const abort = () => head.abort();
  const timer = is_long ? undefined : setTimeout(abort, ANSWER_MS);
  const forget = runtime.onGone(c, abort);
  const over = () => {
    clearTimeout(timer);
    forget();
  };
  return { signal: head.signal, over };
}

/** Every instance has the same routes. */
function asAnswer(response: Response): Answer {
  return response as Answer;
}
