import { type GatewayClient, type Schemas, take } from './client.ts';
import { ClientError } from './client-error.ts';
import {
  type Ending,
  type ErrorFrame,
  type ExitFrame,
  endingOf,
  type GatewayFrame,
  type PromptFrame,
} from './terminal-ending.ts';

export const SUBPROTOCOL = 'sallyport.v1';
const MAX_FRAME_BYTES = 64 * 1024; // a large paste must not be one frame that nothing can interleave
const ACK_STEP_BYTES = 128 * 1024;

export type ClientFrame = Schemas['TerminalClientFrame'];

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open'; readonly server: string; readonly session_id: string }
  | { readonly kind: 'over'; readonly ending: Ending };

export interface LinkEvents {
  state(state: LinkState): void;
  output(bytes: Uint8Array): void;
  /** The host asks something before it opens a shell; wants one `answer`. Undefined: nothing is asked any more. */
  prompt?(prompt: PromptFrame | undefined): void;
  round_trip?(ms: number): void;
}

type SocketConstructor = new (url: string, protocols: string[]) => WebSocket;

export interface LinkOptions {
  readonly client: GatewayClient;
  readonly server_id: number;
  readonly size: TerminalSize;
  readonly events: LinkEvents;
  /** For runtimes that have none. */
  readonly WebSocket?: SocketConstructor;
}

/** One shell over one socket. It is not retried: in this release the shell ends with its socket. */
export class TerminalLink {
  readonly #options: LinkOptions;
  #socket: WebSocket | undefined;
  #size: TerminalSize;
  #early: Uint8Array[] = [];
  #established = false;
  #over = false;
  #asked = false;
  #exit: ExitFrame | undefined;
  #error: ErrorFrame | undefined;
  #pinged_at: number | undefined;
  #parsed_bytes = 0;
  #acked_bytes = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#size = options.size;
    options.events.state({ kind: 'connecting' });
    this.#connect().catch((error: unknown) => this.#finish(endingOfError(error)));
  }

  input(data: string | Uint8Array): void {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    for (const part of frames(bytes)) {
      if (this.#isOpen()) this.#socket?.send(part);
      else if (!this.#over) this.#early.push(part);
    }
  }

  resize(size: TerminalSize): void {
    if (size.cols === this.#size.cols && size.rows === this.#size.rows) return;
    this.#size = size;
    if (this.#isOpen()) this.#send({ type: 'resize', ...size });
  }

  /** The terminal has worked through this much more output. */
  parsed(bytes: number): void {
    this.#parsed_bytes += bytes;
    if (this.#parsed_bytes - this.#acked_bytes < ACK_STEP_BYTES || !this.#isOpen()) return;
    this.#acked_bytes = this.#parsed_bytes;
    this.#send({ type: 'ack', bytes: this.#parsed_bytes });
  }

  /** To the prompt that came last, one for each of its questions. */
  answer(answers: readonly string[]): void {
    if (!this.#asked || !this.#isOpen()) return;
    this.#ask(undefined);
    this.#send({ type: 'answer', answers: [...answers] });
  }

  /** Measures the round trip to the gateway; one at a time. */
  ping(): void {
    if (!this.#established || this.#pinged_at !== undefined || !this.#isOpen()) return;
    this.#pinged_at = performance.now();
    this.#send({ type: 'ping' });
  }

  /** Ends the shell; no further event comes. */
  close(): void {
    this.#over = true;
    this.#socket?.close(1000);
  }

  async #connect(): Promise<void> {
    const { client, server_id } = this.#options;
    const url = client.url(`/api/ws/terminal/${server_id}`, await admission(client));
    url.protocol = url.protocol.replace('http', 'ws');
    if (this.#over) return;
    const Socket = this.#options.WebSocket ?? WebSocket;
    const socket = new Socket(url.href, [SUBPROTOCOL]);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }: MessageEvent<unknown>) => this.#received(data);
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
    this.#socket = socket;
  }

  #opened(): void {
    if (this.#over) {
      this.#socket?.close(1000);
      return;
    }
    this.#send({ type: 'open', ...this.#size });
    for (const bytes of this.#early) this.#socket?.send(bytes.slice());
    this.#early = [];
  }

  #received(data: unknown): void {
    if (this.#over) return;
    if (data instanceof ArrayBuffer) this.#options.events.output(new Uint8Array(data));
    else if (typeof data === 'string') this.#obey(parseFrame(data));
  }

  #obey(frame: GatewayFrame): void {
    switch (frame.type) {
      case 'session':
        this.#established = true;
        this.#ask(undefined);
        this.#options.events.state({ kind: 'open', server: frame.server, session_id: frame.session_id });
        break;
      case 'exit':
        this.#exit = frame;
        break;
      case 'error':
        this.#error = frame;
        break;
      case 'prompt':
        this.#ask(frame);
        break;
      case 'pong':
        this.#ponged();
        break;
    }
  }

  #ask(prompt: PromptFrame | undefined): void {
    if (!prompt && !this.#asked) return;
    this.#asked = prompt !== undefined;
    this.#options.events.prompt?.(prompt);
  }

  #ponged(): void {
    if (this.#pinged_at === undefined) return;
    this.#options.events.round_trip?.(performance.now() - this.#pinged_at);
    this.#pinged_at = undefined;
  }

  #closed(code: number, reason: string): void {
    const established = this.#established;
    this.#finish(endingOf({ code, reason, established, exit: this.#exit, error: this.#error }));
  }

  #finish(ending: Ending): void {
    if (this.#over) return;
    this.#over = true;
    this.#early = [];
    this.#ask(undefined);
    this.#options.events.state({ kind: 'over', ending });
  }

  #send(frame: ClientFrame): void {
    this.#socket?.send(JSON.stringify(frame));
  }

  #isOpen(): boolean {
    return this.#socket?.readyState === 1;
  }
}

/** A ticket, so that the token stays out of URLs; demo mode refuses the write that makes one. */
async function admission(client: GatewayClient): Promise<Record<string, string>> {
  try {
    const { ticket } = await take(client.http.POST('/api/auth/ws-ticket'));
    return { ticket };
  } catch (error) {
    const token = client.token();
    if (error instanceof ClientError && error.code === 'demo_mode' && token !== undefined) return { token };
    throw error;
  }
}

function endingOfError(error: unknown): Ending {
  if (!(error instanceof ClientError) || error.status === 0) return { kind: 'unreachable' };
  const kind = error.status === 401 ? 'sign_in' : 'refused';
  return { kind, error: { code: error.code, message: error.detail } };
}

function* frames(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += MAX_FRAME_BYTES) yield bytes.slice(at, at + MAX_FRAME_BYTES);
}

/** The gateway speaks only the frames of its own document under this subprotocol. */
function parseFrame(text: string): GatewayFrame {
  return JSON.parse(text) as GatewayFrame;
}
