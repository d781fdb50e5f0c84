import type { Context, MiddlewareHandler } from 'hono';
import type { WSEvents } from 'hono/ws';
import type { Fault } from '#core/errors.ts';
import type { ByteSource } from '#core/files/uploads/uploads.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { ZipInput } from '#core/model/files/file-change.ts';
import type { TurnKind } from '../contract/app-route.ts';

export interface AppEnv {
  Variables: {
    request_id: string;
    ip_address: string;
    /** The host that the browser requested, signed by our own edge. */
    forwarded_host?: string | undefined;
    /** Path of the matched route as in the contract; undefined for pages and unknown paths. */
    route?: string;
    /** Set by the gates of every route that is not public. */
    caller: Caller;
    /** How the matched route takes turns. */
    turn?: TurnKind;
    /** Ends the turn of its body. */
    leave_body?: () => void;
    /** The answer is made as the client reads it. */
    is_streamed?: boolean;
    /** The paths in an archive ticket. */
    archive?: ZipInput;
  };
}

export type AppContext = Context<AppEnv>;
export type AppMiddleware = MiddlewareHandler<AppEnv>;

/** What the socket under a `WSContext` must provide; implemented by the `ws` package. */
export interface RawSocket {
  send(data: Uint8Array | string, options: { binary: boolean }, sent: () => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
  ping(): void;
  /** Bytes received on its connection, if known. */
  receivedBytes?(): number;
  pause(): void;
  resume(): void;
  on(event: 'pong' | 'message', listener: () => void): unknown;
}

/** A multipart/form-data part with a file name. Its content must be read before the next part. */
export interface MultipartFile {
  readonly name: string;
  readonly content: ByteSource;
}

export interface RelayOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Called when nobody listens at the address. */
  readonly whenRefused: () => Fault;
}

export interface UnreadBounds {
  /** Time in which the client takes nothing. */
  readonly silence_ms: number;
  /** Time until it has everything; undefined for an answer that is made as the client reads. */
  readonly whole_ms?: number | undefined;
  /** Whose unread answers are counted together; undefined for an answer that holds little. */
  readonly owner?: string | undefined;
}

/** What Hono needs from the runtime; implemented in the server area. */
export interface Runtime {
  /** Address of the peer of the TCP connection. */
  remoteAddress(c: AppContext): string;
  /** Whether to believe the `X-Forwarded-*` headers of this address. */
  isTrustedProxy(address: string): boolean;
  isUpgrade(c: AppContext): boolean;
  /** Adds the request id to every line that `work` logs. */
  inRequest<T>(request_id: string, work: () => Promise<T>): Promise<T>;
  /** Calls `run` once when the client disconnects; the returned function cancels that. */
  onGone(c: AppContext, run: () => void): () => void;
  /** Calls `run` once when the client has the whole answer, or disconnects. */
  onAnswered(c: AppContext, run: () => void): void;
  /** Ends the connection when the client leaves the answer unread for too long, or holds too much unread. */
  boundUnread(c: AppContext, bounds: UnreadBounds): void;
  /** The body as it arrives, to be read once; throws `body_timeout` when it stalls. */
  body(c: AppContext): ByteSource;
  /** Parses JSON without holding up other requests; undefined if it is not valid. */
  parseJson(text: string): Promise<{ readonly value: unknown } | undefined>;
  /** RFC 7578, parsed as it arrives; throws `bad_multipart` if it is malformed or cut off. */
  multipart(c: AppContext): AsyncIterable<MultipartFile>;
  /** Aborts the connection of a response that cannot be completed. */
  breakOff(c: AppContext): void;
  upgrade(c: AppContext, events: WSEvents<RawSocket>): Response | Promise<Response>;
  /** Accepts the upgrade and relays frames and closes to and from the socket at `url`. */
  relay(c: AppContext, url: URL, options: RelayOptions): Response | Promise<Response>;
}
