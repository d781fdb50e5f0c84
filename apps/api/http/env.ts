import type { Context, MiddlewareHandler } from 'hono';
import type { WSEvents } from 'hono/ws';
import type { ByteSource } from '#core/files/uploads/uploads.ts';
import type { Caller } from '#core/model/caller.ts';
import type { ZipInput } from '#core/model/file-change.ts';

export interface AppEnv {
  Variables: {
    request_id: string;
    ip_address: string;
    /** Path of the matched route, as the contract spells it; undefined: none, or a page. */
    route?: string;
    /** Set by the gates of every route that is not public. */
    caller: Caller;
    /** What the archive is of that a ticket was made for. */
    archive?: ZipInput;
  };
}

export type AppContext = Context<AppEnv>;
export type AppMiddleware = MiddlewareHandler<AppEnv>;

/** What the socket under a `WSContext` must offer; the `ws` package's WebSocket does. */
export interface RawSocket {
  send(data: Uint8Array | string, options: { binary: boolean }, sent: () => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
  ping(): void;
  /** All that has come on its connection, where that is known. */
  receivedBytes?(): number;
  pause(): void;
  resume(): void;
  on(event: 'pong' | 'message', listener: () => void): unknown;
}

/** A part of multipart/form-data that has a file name; its content must be taken before the next part comes. */
export interface MultipartFile {
  readonly name: string;
  readonly content: ByteSource;
}

/** What the runtime adds to Hono; the server area provides it. */
export interface Runtime {
  /** Address of the peer of the TCP connection. */
  remoteAddress(c: AppContext): string;
  /** Whether this address may say for whom it forwards. */
  isTrustedProxy(address: string): boolean;
  isUpgrade(c: AppContext): boolean;
  /** Whatever is logged because of `work` names the request. */
  inRequest<T>(request_id: string, work: () => Promise<T>): Promise<T>;
  /** Runs once when the connection under this request is gone; the returned function forgets it. */
  onGone(c: AppContext, run: () => void): () => void;
  /** The body as it comes in, to be taken once; `body_timeout` when nothing comes for too long. */
  body(c: AppContext): ByteSource;
  /** RFC 7578, read as it comes in; `bad_multipart` when it is no such thing or breaks off. */
  multipart(c: AppContext): AsyncIterable<MultipartFile>;
  /** Ends the connection under a response that cannot be completed. */
  breakOff(c: AppContext): void;
  upgrade(c: AppContext, events: WSEvents<RawSocket>): Response | Promise<Response>;
  /** Accepts the upgrade and passes its frames on to the socket at `url`, and back, closes included. */
  relay(c: AppContext, url: URL, headers: Readonly<Record<string, string>>): Response | Promise<Response>;
}
