import { createClient, type GatewayClient } from '#client/client.ts';
import type { PromptFrame } from '#client/terminal/ending.ts';
import type { LinkState, NewsFrame } from '#client/terminal/events.ts';
import { TerminalLink } from '#client/terminal/link.ts';
import type { TerminalSize, TerminalTarget } from '#client/terminal/target.ts';

/** A socket whose peer is the test. */
export class FakeSocket {
  static last: FakeSocket;
  static readonly all: FakeSocket[] = [];
  readonly url: string;
  readonly protocols: string[];
  readyState = 0;
  binaryType = '';
  sent: unknown[] = [];
  closed_with: number | undefined;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: (() => void) | null = null;

  constructor(url: string, protocols: string[]) {
    this.url = url;
    this.protocols = protocols;
    FakeSocket.last = this;
    FakeSocket.all.push(this);
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  say(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  /** Output of this many bytes. */
  flow(count: number) {
    this.onmessage?.({ data: new Uint8Array(count).buffer });
  }
  end(code: number, reason = '') {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
  send(data: unknown) {
    this.sent.push(typeof data === 'string' ? JSON.parse(data) : data);
  }
  close(code: number) {
    this.closed_with = code;
    this.readyState = 2;
  }
  /** Without acknowledgements. */
  said(): unknown[] {
    return this.sent.filter(
      (frame) => frame instanceof Uint8Array || !('type' in Object(frame)) || !isAck(frame),
    );
  }
  acks(): unknown[] {
    return this.sent.filter(isAck);
  }
}

function isAck(frame: unknown): boolean {
  return typeof frame === 'object' && frame !== null && 'type' in frame && frame.type === 'ack';
}

export type Answer = (request: Request) => Response | Promise<Response>;
export const ticket: Answer = () => Response.json({ ticket: 'once', expires_in: 30 });

/** Lets pending requests to the gateway continue, even with fake timers. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

interface Wishes {
  readonly answer?: Answer;
  readonly aim?: TerminalTarget;
  readonly size?: TerminalSize;
  readonly sized?: Promise<unknown>;
  /** Runs before the link opens. */
  readonly before?: (client: GatewayClient) => Promise<unknown>;
}

export async function openLink({
  answer = ticket,
  aim = { kind: 'server', server_id: 3 },
  ...wishes
}: Wishes = {}) {
  const states: LinkState[] = [];
  const output: Uint8Array[] = [];
  const trips: number[] = [];
  const news: NewsFrame[] = [];
  const prompts: (PromptFrame | undefined)[] = [];
  const requests: Request[] = [];
  let overflows = 0;
  const losses: object[] = [];
  const silences: (number | undefined)[] = [];
  const unread: (number | undefined)[] = [];
  let comeBack = () => {};
  const gateway = { answer };
  const client = createClient({
    base_url: 'https://gate.example/prefix',
    credentials: 'sesame',
    retries: 0,
    client_id: 'me',
    WebSocket: FakeSocket,
    fetch: async (request) => {
      requests.push(request);
      return gateway.answer(request);
    },
  });
  await wishes.before?.(client);
  const link = new TerminalLink({
    client,
    target: aim,
    size: 'sized' in wishes ? undefined : (wishes.size ?? { cols: 90, rows: 30 }),
    sized: wishes.sized,
    onReturn: (listener) => {
      comeBack = listener;
      return () => {};
    },
    events: {
      state: (state) => states.push(state),
      output: (bytes) => output.push(bytes),
      prompt: (prompt) => prompts.push(prompt),
      news: (frame) => news.push(frame),
      round_trip: (ms) => trips.push(ms),
      input_lost: (loss) => losses.push(loss),
      silent: (since_ms) => silences.push(since_ms),
      unread: (bytes) => unread.push(bytes),
      overflow: () => {
        overflows += 1;
      },
    },
  });
  await settle();
  return {
    link,
    states,
    output,
    trips,
    news,
    prompts,
    requests,
    gateway,
    comeBack: () => comeBack(),
    overflows: () => overflows,
    losses,
    silences,
    unread,
    socket: FakeSocket.last,
  };
}

/** The shell has started. */
export async function established(wishes: Wishes = {}) {
  const opened = await openLink(wishes);
  opened.socket.open();
  opened.socket.say(session());
  return opened;
}

export function session(rest: object = {}) {
  return {
    type: 'session',
    session_id: 's',
    offset: 0,
    server: 'web',
    recording: false,
    resume_s: 120,
    cols: 80,
    rows: 24,
    ...rest,
  };
}
