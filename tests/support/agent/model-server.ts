import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '../eventually.ts';
import { createAnthropicWire, openaiWire, type Usage, type Wire } from './wires.ts';

export interface ScriptedCall {
  readonly tool: string;
  /** An object is sent as JSON; a string exactly as it is, so it may be broken. */
  readonly arguments?: Readonly<Record<string, unknown>> | string;
  /** `call_1`, `call_2`, … by default. */
  readonly id?: string;
}

/** For a gateway whose agent asks a model on this machine. */
export const LOCAL_MODELS = { SERVICE_WEBHOOK_ALLOW_PRIVATE: 'true' };

/** A promise among the texts holds the stream until it resolves. */
type Saying = string | PromiseLike<unknown>;

/** A streamed answer: the texts, then the calls, whose arguments come in up to 50 fragments. */
export interface Answer {
  /** May be a generator without end: it is read only as fast as the client reads. */
  readonly says?: Iterable<Saying>;
  readonly calls?: readonly ScriptedCall[];
  /** 10 and 5 tokens by default; null: the provider does not count. */
  readonly usage?: Usage | null;
  /**
   * `finish` by default. `stall`: sends nothing more and stays open. `drop`: closes the connection in the middle of the response. `cut`: closes it in the middle of
   * the JSON of one event. `end`: closes it cleanly without a finish reason.
   */
  readonly ending?: 'finish' | 'stall' | 'drop' | 'cut' | 'end';
}

/** Anything else that HTTP can say: errors, redirects, pages. */
export interface Plain {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Reads the request and never answers. */
export const SILENT = 'silent';

export type Reply = Answer | Plain | typeof SILENT;

/** Of both APIs; tests know which fields theirs has. */
export interface ModelBody {
  readonly model: string;
  readonly stream: boolean;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  /** Anthropic's; OpenAI's is the first message. */
  readonly system?: unknown;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { name: string; arguments: string };
    }[];
  }[];
  readonly tools?: readonly {
    readonly function: { name: string; description: string; parameters: unknown };
  }[];
}

/** A request to the model, or for the list of models. */
export interface ModelCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: ModelBody;
}

/**
 * A provider of language models on 127.0.0.1 that answers as a test scripts it: OpenAI's `POST {url}/chat/completions`, Anthropic's
 * `POST {url}/messages`, and `GET {url}/models` of both.
 *
 *     const models = await startModelServer();
 *     models.script({ calls: [{ tool: 'list', arguments: { path: '/' } }] }, { says: ['The disk ', 'is full.'] });
 *     … set `base_url: models.url`, `allow_private_address: true`, ask …
 *     expect(models.requests[1]?.body.messages.at(-1).content).toContain('/var');
 *
 * Each call of the model takes the next reply of the script; when the script is over, the one of `always`, or else a 500.
 */
export interface ModelServer {
  /** With `/v1`. */
  readonly url: string;
  /** Calls of the model, oldest first. */
  readonly requests: readonly ModelCall[];
  /** Requests for the list of models. */
  readonly listings: readonly ModelCall[];
  /** Adds to the script. A function is asked with the call it answers. */
  script(...replies: (Reply | ((call: ModelCall) => Reply))[]): void;
  /** What is answered when the script is over, such as a model that loops. */
  always(reply: Reply | ((call: ModelCall) => Reply) | undefined): void;
  /** What `GET /models` answers: names (`test-model` at first) or any reply. */
  lists(models: readonly string[] | Plain | typeof SILENT): void;
  /** Waits until the model was called this many times. */
  hears(count: number): Promise<readonly ModelCall[]>;
  openConnections(): number;
  /** Waits until no connection is open. */
  idle(): Promise<void>;
  /** Forgets requests and script. */
  reset(): void;
  stop(): Promise<void>;
}

const FRAGMENTS = 50;
const SHORTEST = 7; // characters
const PLAIN_USAGE: Usage = { input: 10, output: 5 };
const OVER: Plain = { status: 500, body: '{"error":{"message":"The script is over"}}' };

type Scripted = Reply | ((call: ModelCall) => Reply);

export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelCall[] = [];
  const listings: ModelCall[] = [];
  const sockets = new Set<Socket>();
  let queue: Scripted[] = [];
  let otherwise: Scripted | undefined;
  let listed: readonly string[] | Plain | typeof SILENT = ['test-model'];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await read(request);
    if (call.method === 'GET') {
      listings.push(call);
      return answer(response, call, listing(listed));
    }
    requests.push(call);
    const next = queue.shift() ?? otherwise ?? OVER;
    await answer(response, call, typeof next === 'function' ? next(call) : next);
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined); // the client closed the connection
    serve(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    listings,
    script: (...replies) => void queue.push(...replies),
    always(reply) {
      otherwise = reply;
    },
    lists(models) {
      listed = models;
    },
    hears: (count) =>
      eventually(() => {
        if (requests.length < count) throw new Error(`The model was called ${requests.length} times`);
        return requests;
      }),
    openConnections: () => sockets.size,
    idle: () =>
      eventually(() => {
        if (sockets.size > 0) throw new Error(`${sockets.size} connections are open`);
      }),
    reset() {
      requests.length = 0;
      listings.length = 0;
      queue = [];
      otherwise = undefined;
      listed = ['test-model'];
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<ModelCall> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, body: JSON.parse(text || 'null') };
}

function listing(listed: readonly string[] | Plain | typeof SILENT): Plain | typeof SILENT {
  if (listed === SILENT || 'status' in listed) return listed;
  const data = listed.map((id) => ({ id, object: 'model' }));
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ object: 'list', data, has_more: false }),
  };
}

async function answer(response: ServerResponse, { path }: ModelCall, reply: Reply): Promise<void> {
  if (reply === SILENT) return;
  if ('status' in reply) {
    const { status, headers = { 'content-type': 'application/json' }, body } = reply;
    response.writeHead(status, { ...headers }).end(body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await stream(response, path.includes('/messages') ? createAnthropicWire() : openaiWire, reply);
}

async function stream(response: ServerResponse, wire: Wire, reply: Answer): Promise<void> {
  await send(response, wire.open());
  for (const saying of reply.says ?? []) {
    if (typeof saying === 'string') await send(response, wire.text(saying));
    else await saying;
    if (response.destroyed) return;
  }
  for (const [index, call] of (reply.calls ?? []).entries()) {
    for (const part of sentCall(wire, index, call)) await send(response, part);
  }
  end(response, wire, reply);
}

function end(
  response: ServerResponse,
  wire: Wire,
  { calls = [], usage = PLAIN_USAGE, ending }: Answer,
): void {
  switch (ending ?? 'finish') {
    case 'finish':
      response.end(wire.finish(usage ?? undefined, calls.length > 0));
      return;
    case 'end':
      response.end();
      return;
    case 'cut':
      response.end(wire.text('never whole').slice(0, -15));
      return;
    case 'drop':
      response.socket?.destroySoon();
      return;
    case 'stall':
  }
}

function* sentCall(wire: Wire, index: number, { tool, arguments: args = {}, id }: ScriptedCall) {
  yield wire.call(index, { id: id ?? `call_${index + 1}`, tool });
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const length = Math.max(SHORTEST, Math.ceil(text.length / FRAGMENTS));
  for (let at = 0; at < text.length; at += length) yield wire.argument(index, text.slice(at, at + length));
}

/** Waits while the client does not read. */
async function send(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
  response.off('close', leave);
}
