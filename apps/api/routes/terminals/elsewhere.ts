import type { TypedResponse } from 'hono';
import type { Tickets } from '#core/accounts/tickets.ts';
import { Fault } from '#core/errors.ts';
import type { ForwardedAddresses } from '#core/instances/forwarded-addresses.ts';
import { isConnectionRefused } from '#core/lib/connection-refused.ts';
import type { Elsewhere as Place, SessionHomes } from '#core/terminals/homes.ts';
import type { AppContext, Runtime } from '../../http/env.ts';
import { ADDRESS_HEADER, pathOf, provenRequest } from '../../http/forward.ts';

const ANSWER_MS = 10_000;
const FORWARDED_HEADER = 'x-sallyport-passed-on';
const PASSED_BACK = ['content-type', 'retry-after', 'www-authenticate'];
const CREDENTIALS: ReadonlySet<string> = new Set(['ticket', 'token']);

export interface ElsewhereOptions {
  readonly runtime: Pick<Runtime, 'relay'>;
  readonly addresses: ForwardedAddresses;
  readonly tickets: Pick<Tickets, 'forSocket'>;
  readonly root_path: string;
  readonly session_homes: Pick<SessionHomes, 'refused'>;
}

/** The response of the same route on another instance, which has the same type by contract. */
type Answer = Response & TypedResponse<never, 200, 'json'>;

/** Forwards requests about a session to the instance that holds it, which authorizes them again. */
export interface Elsewhere {
  /** `body` is the request's body, which has been read already. */
  request(c: AppContext, home: Place, body?: object): Promise<Answer>;
  socket(c: AppContext, home: Place): Promise<Response>;
}

export function createElsewhere(options: ElsewhereOptions): Elsewhere {
  const { runtime, addresses, tickets, root_path, session_homes } = options;

  return {
    async request(c, home, body) {
      const { url, run_id } = home;
      assertNotForwarded(c);
      const path = pathOf(c, root_path);
      const headers = {
        [FORWARDED_HEADER]: '1',
        'accept-encoding': 'identity', // who answers the client compresses
        authorization: c.req.header('authorization') ?? '',
        [ADDRESS_HEADER]: await addresses.sign(c.var.ip_address, provenRequest(c, path), run_id),
        ...(body ? { 'content-type': 'application/json' } : {}),
      };
      const init = { method: c.req.method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      const answer = await ask(new URL(url + path), init, () => session_homes.refused(home));
      const headersOf = PASSED_BACK.flatMap((name): [string, string][] => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      return asAnswer(new Response(answer.body, { status: answer.status, headers: headersOf }));
    },

    async socket(c, home) {
      const { url, run_id } = home;
      assertNotForwarded(c);
      const { ticket } = await tickets.forSocket(c.var.caller); // the caller's own ticket has been used
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
        [ADDRESS_HEADER]: await addresses.sign(c.var.ip_address, proven, run_id),
      };
      return runtime.relay(c, to, { headers, whenRefused: () => session_homes.refused(home) });
    },
  };
}

/** A forwarded request is not forwarded again: a stale address could send it in circles. */
function assertNotForwarded(c: AppContext): void {
  if (c.req.header(FORWARDED_HEADER) !== undefined) throw new Fault('instance_unreachable');
}

async function ask(url: URL, init: RequestInit, whenRefused: () => Fault): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (cause) {
    if (isConnectionRefused(cause)) throw whenRefused();
    throw new Fault('instance_unreachable', undefined, { cause });
  }
}

/** Every instance has the same routes. */
function asAnswer(response: Response): Answer {
  return response as Answer;
}
