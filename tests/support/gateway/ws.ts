import { WebSocket } from 'ws';

const TAIL = 4096;

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

export interface Frame {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A terminal client: collects frames and output, and lets tests wait for them. */
export interface TerminalClient {
  readonly raw: WebSocket;
  readonly frames: readonly Frame[];
  output(): string;
  outputBytes(): Buffer;
  send(frame: object): void;
  type(text: string): void;
  /** Resolves with the first matching frame of this type. */
  frame(type: string, matches?: (frame: Frame) => boolean): Promise<Frame>;
  /** Resolves when the output matches. */
  sees(pattern: RegExp | string): Promise<string>;
  closed(): Promise<Closed>;
  close(code?: number): void;
}

export interface TerminalClientOptions {
  readonly headers?: Record<string, string>;
  readonly protocols?: string[];
  /** The CA certificate for a `wss:` URL. */
  readonly ca?: string;
}

export function openTerminal(url: string, options: TerminalClientOptions = {}): TerminalClient {
  const raw = new WebSocket(url.replace(/^http/, 'ws'), options.protocols ?? ['sallyport.v1'], {
    headers: options.headers ?? {},
    perMessageDeflate: false,
    ...(options.ca ? { ca: options.ca } : {}),
  });
  const frames: Frame[] = [];
  const chunks: Buffer[] = [];
  let closed: Closed | undefined;
  let failure: Error | undefined;
  let tail = ''; // only the tail is matched: matching everything would be quadratic in a flood
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  raw.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      chunks.push(data);
      tail = (tail + data.toString('latin1')).slice(-TAIL);
    } else frames.push(JSON.parse(data.toString()));
    wake();
  });
  raw.on('error', (error) => {
    failure = error;
    wake();
  });
  raw.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() };
    wake();
  });

  /** Resolves once `read` returns a value; rejects if the socket closes first. */
  function until<T>(what: string, read: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const value = read();
        if (value !== undefined) resolve(value);
        else if (closed)
          reject(
            new Error(`Closed (${closed.code} ${failure?.message ?? closed.reason}) before ${what}: ${tail}`),
          );
        else return;
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });
  }

  const text = () => Buffer.concat(chunks).toString();
  return {
    raw,
    frames,
    output: text,
    outputBytes: () => Buffer.concat(chunks),
    send: (frame) => raw.send(JSON.stringify(frame)),
    type: (keys) => raw.send(Buffer.from(keys)),
    frame: (type, matches = () => true) =>
      until(`a ${type} frame`, () => frames.find((frame) => frame.type === type && matches(frame))),
    async sees(pattern) {
      if (!text().match(pattern)) await until(String(pattern), () => tail.match(pattern) ?? undefined);
      return text();
    },
    closed: () => until('the close', () => closed),
    close: (code) => raw.close(code),
  };
}

/** Opens a terminal and waits until its socket is open. */
export async function connectedTerminal(
  url: string,
  options: TerminalClientOptions = {},
): Promise<TerminalClient> {
  const client = openTerminal(url, options);
  await new Promise<void>((resolve, reject) => {
    client.raw.once('open', resolve);
    client.raw.once('error', reject);
  });
  return client;
}
