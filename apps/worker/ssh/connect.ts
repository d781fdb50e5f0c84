import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import { Fault } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { HostKeys, SshHop, SshTarget } from '#core/ports/ssh.ts';
import { addressOf, type DialWatch, startAttempt } from './attempt.ts';
import { openClient, sayGoodbye } from './handshake.ts';
import { openTunnel } from './jump.ts';
import type { PrivateKeyReader } from './private-keys.ts';
import { openTcp } from './tcp.ts';

const CLOSE_GRACE_MS = 2000; // for our last packets; a peer that takes none must not keep a socket

/** An authenticated way to a target, through all its hops. */
export interface Connection {
  /** The destination's client. */
  readonly client: Client;
  /** Why it is over, once it is. */
  ended(): Fault | undefined;
  /** Runs the listener once when the connection is over, whoever ended it; the returned function forgets it. */
  onEnd(listener: (fault: Fault) => void): () => void;
  close(fault?: Fault): void;
  /** A Fault worded for this target's destination. */
  fault(
    code: 'shell_refused' | 'sftp_unavailable' | 'operation_timeout' | 'ssh_protocol',
    what: string,
    cause?: unknown,
  ): Fault;
}

export interface DialOptions {
  readonly signal?: AbortSignal;
  readonly watch?: DialWatch;
}

export interface Dialler {
  connect(target: SshTarget, options?: DialOptions): Promise<Connection>;
  /** Ends what is connected and what is being dialled. */
  close(): void;
}

export interface DiallerOptions {
  readonly host_keys: HostKeys;
  readonly keys: PrivateKeyReader;
  /** For each hop, from name resolution to the end of authentication. */
  readonly connect_timeout_ms: number;
  readonly clock: Clock;
}

interface Link {
  readonly hop: SshHop;
  readonly client: Client;
  readonly stream: Duplex;
}

const UNWATCHED: DialWatch = { begin() {}, pass() {} };

/** The only way out to hosts: terminals, files and tests all dial here. */
export function createDialler(options: DiallerOptions): Dialler {
  const open = new Set<Connection>();
  const dialling = new Set<AbortController>();
  let closed = false;
  return {
    async connect(target, { signal, watch = UNWATCHED } = {}) {
      if (closed) throw new Fault('shutting_down');
      const abort = new AbortController();
      const unfollow = follow(signal, abort);
      dialling.add(abort);
      try {
        const links = await dialAll(target, { ...options, signal: abort.signal, watch });
        const connection = toConnection(links, options.clock);
        open.add(connection);
        connection.onEnd(() => open.delete(connection));
        return connection;
      } finally {
        unfollow();
        dialling.delete(abort);
      }
    },
    close() {
      closed = true;
      const fault = new Fault('shutting_down');
      for (const abort of dialling) abort.abort(fault);
      for (const connection of open) connection.close(fault);
    },
  };
}

/** `AbortSignal.any` on Node 20 keeps a trace of each call in a long-lived source; this one leaves none. */
function follow(source: AbortSignal | undefined, follower: AbortController): () => void {
  const abort = () => follower.abort(source?.reason);
  if (source?.aborted) abort();
  else source?.addEventListener('abort', abort);
  return () => source?.removeEventListener('abort', abort);
}

type Dialling = DiallerOptions & { readonly signal: AbortSignal; readonly watch: DialWatch };
type Links = [Link, ...Link[]];

async function dialAll({ hops }: SshTarget, dialling: Dialling): Promise<Links> {
  const in_chain = hops.length > 1;
  const [first, ...others] = hops;
  const links: Links = [await dialHop(first, undefined, in_chain, dialling)];
  try {
    for (const hop of others) links.push(await dialHop(hop, links.at(-1), in_chain, dialling));
    dialling.signal.throwIfAborted();
    return links;
  } catch (error) {
    closeLinks(links, dialling.clock);
    throw error;
  }
}

async function dialHop(
  hop: SshHop,
  before: Link | undefined,
  in_chain: boolean,
  { host_keys, keys, connect_timeout_ms, ...rest }: Dialling,
): Promise<Link> {
  const attempt = startAttempt({ hop, in_chain, timeout_ms: connect_timeout_ms, ...rest });
  try {
    const stream = before
      ? await openTunnel(before.client, before.hop.name, attempt)
      : await openTcp(attempt);
    return { hop, stream, client: await openClient(stream, attempt, { host_keys, keys }) };
  } finally {
    attempt.finish();
  }
}

/** Mirror order: the destination says goodbye through bastions that still stand. */
function closeLinks(links: Links, clock: Clock): void {
  for (const { client, stream } of links.toReversed()) sayGoodbye(client, stream);
  const [{ stream }] = links;
  stream.end();
  const cancel = clock.after(CLOSE_GRACE_MS, () => stream.destroy());
  stream.once('close', cancel);
  if (stream.destroyed) cancel();
}

function toConnection(links: Links, clock: Clock): Connection {
  const last = links.at(-1) ?? links[0];
  const listeners = new Set<(fault: Fault) => void>();
  let ended: Fault | undefined;
  const options = links.length > 1 ? { hop: last.hop.name } : {};

  function close(fault = new Fault('host_disconnected', 'The connection was closed')): void {
    if (ended) return;
    ended = fault;
    closeLinks(links, clock);
    for (const listener of listeners) listener(fault);
    listeners.clear();
  }
  for (const link of links) {
    const lose = (cause?: unknown) => close(lostFault(link, links.length > 1, cause));
    link.client.on('error', lose);
    link.client.on('close', () => lose());
  }
  return {
    client: last.client,
    ended: () => ended,
    onEnd(listener) {
      if (ended) listener(ended);
      else listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close,
    fault: (code, what, cause) =>
      new Fault(code, `${addressOf(last.hop)} ${what}`, {
        stage: code === 'shell_refused' || code === 'ssh_protocol' ? 'shell' : 'sftp',
        cause,
        ...options,
      }),
  };
}

function lostFault({ hop }: Link, in_chain: boolean, cause: unknown): Fault {
  return new Fault('host_disconnected', `The connection to ${addressOf(hop)} was lost`, {
    cause,
    ...(in_chain && { hop: hop.name }),
  });
}
