import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import { Fault, type SftpStartCode } from '#core/errors.ts';
import { startDeadline, untilAborted } from '#core/lib/time/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { SshHop } from '#core/ports/ssh.ts';
import { addressOf } from './attempt.ts';
import { HostViolation } from './faults.ts';
import { endClient } from './handshake/handshake.ts';

const CLOSE_GRACE_MS = 2000; // for our last packets; a peer that reads none must not hold a socket open

/** An authenticated connection to a target through all its hops. */
export interface Connection {
  /** The destination and its client. */
  readonly hop: SshHop;
  readonly client: Client;
  /** The number of bastions before the destination. */
  readonly depth: number;
  /** Since the destination last sent anything. */
  silent_ms(): number;
  /** Why it ended, once it has. */
  ended(): Fault | undefined;
  /** Calls the listener once when the connection ends; the returned function removes it. */
  onEnd(listener: (fault: Fault) => void): () => void;
  /** Resolves when little waits to be sent to the destination, or the connection has ended. */
  drained(): Promise<void>;
  close(fault?: Fault): void;
  /** Resolves when all streams are closed. */
  closed(): Promise<void>;
  /** A Fault worded for this target's destination. */
  fault(
    code: 'shell_refused' | SftpStartCode | 'operation_timeout' | 'ssh_protocol',
    what: string,
    cause?: unknown,
  ): Fault;
}

export interface Link {
  readonly hop: SshHop;
  readonly client: Client;
  readonly stream: Duplex;
}

export type Links = [Link, ...Link[]];

export interface ConnectionOptions {
  readonly clock: Clock;
  /** Whether a Fault must name the server in a chain. */
  readonly in_chain: boolean;
  readonly depth: number;
}

/**
 * Closes the last link first: a bastion that is disconnected drops what it has not forwarded yet, so each waits for the
 * link behind it. Resolves when all are closed.
 */
export async function closeLinks(links: Links, clock: Clock): Promise<void> {
  const error = () => new Error(`The connection did not close within ${CLOSE_GRACE_MS} ms`);
  const deadline = startDeadline({ after: clock.after, ms: CLOSE_GRACE_MS, error });
  for (const [index, { client, stream }] of [...links.entries()].toReversed()) {
    endClient(client, stream);
    stream.end();
    if (outermostLost(links.slice(0, index)))
      stream.destroy(); // its bastion is gone, so nothing more can arrive
    else await untilAborted(deadline.signal, ended(stream)).catch(() => undefined);
  }
  deadline.cancel();
  links[0].stream.destroy();
}

function ended(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    stream.once('end', resolve).once('close', resolve);
    if (hasEnded(stream)) resolve();
  });
}

function hasEnded(stream: Duplex): boolean {
  return stream.destroyed || stream.readableEnded;
}

/** The nearest hop whose stream has ended; the hops behind it ended with it. */
export function outermostLost(links: readonly Link[]): Link | undefined {
  return links.find(({ stream }) => hasEnded(stream));
}

export function lostFault({ hop }: Link, in_chain: boolean, cause?: unknown): Fault {
  const lost = in_chain ? hop.name : addressOf(hop);
  const options = { cause, ...(in_chain && { hop: hop.name }) };
  if (cause instanceof HostViolation) return new Fault('ssh_protocol', `${lost} ${cause.message}`, options);
  return new Fault('host_disconnected', `The connection to ${lost} was lost`, options);
}

/** Shared by all who wait, however many channels there are. */
function createDrain(stream: Duplex): () => Promise<void> {
  let draining: Promise<void> | undefined;
  const drain = () =>
    new Promise<void>((resolve) => {
      function done(): void {
        stream.off('drain', done).off('close', done);
        draining = undefined;
        resolve();
      }
      stream.on('drain', done).on('close', done);
    });
  return async () => {
    if (!stream.writableNeedDrain || stream.destroyed) return;
    draining ??= drain();
    await draining;
  };
}

export function toConnection(links: Links, { clock, in_chain, depth }: ConnectionOptions): Connection {
  const last = links.at(-1) ?? links[0];
  const listeners = new Set<(fault: Fault) => void>();
  let ended: Fault | undefined;
  const options = in_chain ? { hop: last.hop.name } : {};
  let closing = Promise.resolve();
  let heard_ms = clock.elapsed_ms();

  const drained = createDrain(last.stream);

  function close(fault = new Fault('host_disconnected', 'The connection was closed')): void {
    if (ended) return;
    ended = fault;
    closing = closeLinks(links, clock);
    for (const listener of listeners) listener(fault);
    listeners.clear();
  }
  for (const link of links) {
    const lose = (cause?: unknown) => {
      const lost = cause instanceof HostViolation ? link : (outermostLost(links) ?? link);
      close(lostFault(lost, in_chain, cause));
    };
    link.client.on('error', lose);
    link.client.on('end', () => lose()); // an ended tunnel stays half open until we end it as well
    link.client.on('close', () => lose());
    link.stream.on('data', () => {
      if (link === last) heard_ms = clock.elapsed_ms();
    });
  }
  return {
    hop: last.hop,
    client: last.client,
    depth,
    silent_ms: () => clock.elapsed_ms() - heard_ms,
    ended: () => ended,
    onEnd(listener) {
      if (ended) listener(ended);
      else listeners.add(listener);
      return () => listeners.delete(listener);
    },
    drained,
    close,
    closed: () => closing,
    fault: (code, what, cause) =>
      new Fault(code, `${addressOf(last.hop)} ${what}`, {
        stage: code === 'shell_refused' || code === 'ssh_protocol' ? 'shell' : 'sftp',
        cause,
        ...options,
      }),
  };
}
