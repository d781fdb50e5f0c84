import type { ClientChannel } from 'ssh2';
import { Fault } from '#core/errors.ts';
import type { Connection } from '../../ssh/connection.ts';
import { type CallOptions, type Calls, createCalls, type Outcome } from './calls.ts';
import { Malformed, toExtensions, toLimits } from './decode.ts';
import { text } from './encode.ts';
import { createExchange, type Exchange } from './exchange.ts';
import type { HostMemory } from './host-memory.ts';
import type { Reply } from './replies.ts';
import { type Ask, createRequests, type Request, type Requests } from './requests.ts';
import { type Start, watchStart } from './start.ts';
import { sftpFault } from './status.ts';
import { EXTENDED } from './wire.ts';

export interface ChannelOptions extends CallOptions {
  /** Shared by the channels of one connection. */
  readonly memory?: HostMemory;
}

/** One SFTP subsystem; every rejection is a Fault. */
export interface SftpChannel extends Requests {
  /** What the server is sure to accept or to return in one request. */
  readonly max_bytes: number;
  /** Rules limit where the caller may go, so a path that is swapped must not lead out of them. */
  readonly is_confined: boolean;
  readonly memory: HostMemory;
  ended(): Fault | undefined;
}

// What every server must accept (draft-ietf-secsh-filexfer-02 §3) unless it announces more.
const CERTAIN_BYTES = 32 * 1024;
const LIMITS = 'limits@openssh.com';

export async function openSftpChannel(connection: Connection, options: ChannelOptions): Promise<SftpChannel> {
  const stream = await startSubsystem(connection, options);
  const calls = createCalls(options);
  const exchange = createExchange(stream, (why) => calls.end(malformed(new Malformed(why))));
  const start = watchStart(stream, options.clock);
  endTogether({ connection, stream, calls, exchange, start });
  try {
    const extensions = await greet({ connection, calls, exchange, start });
    const ask = createAsk(exchange, calls);
    const max_bytes = extensions.has(LIMITS) ? await askMost(ask) : CERTAIN_BYTES;
    return {
      ...createRequests(ask, { extensions, max_bytes }),
      max_bytes,
      is_confined: true,
      memory: options.memory ?? {},
      ended: calls.ended,
    };
  } catch (error) {
    calls.end(sftpFault(error));
    throw error;
  }
}

interface Parts {
  readonly connection: Connection;
  readonly stream: ClientChannel;
  readonly calls: Calls;
  readonly exchange: Exchange;
  readonly start: Start;
}

function endTogether({ connection, stream, calls, exchange, start }: Parts): void {
  const lose = (cause?: unknown) =>
    calls.end(connection.ended() ?? new Fault('host_disconnected', undefined, { cause }));
  stream.on('error', lose);
  stream.on('end', () => lose());
  stream.on('close', () => lose());
  const unlisten = connection.onEnd((fault) => calls.end(fault));
  calls.onEnd(() => {
    unlisten();
    if (start.has_begun()) exchange.close();
    else void start.lastWords().then(() => exchange.close());
  });
}

async function greet({
  connection,
  calls,
  exchange,
  start,
}: Omit<Parts, 'stream'>): Promise<ReadonlyMap<string, string>> {
  try {
    const greeting = await calls.call<Buffer>((done) => exchange.greet((value) => done({ value })));
    start.begun();
    return toExtensions(greeting);
  } catch (error) {
    if (error instanceof Malformed) throw malformed(error);
    // sshd accepts a subsystem whatever its program and the shell then do.
    if (connection.ended() || calls.ended()?.code === 'operation_timeout') throw error;
    await start.lastWords();
    throw await start.fault(connection, error);
  }
}

function createAsk(exchange: Exchange, { call, end }: Calls): Ask {
  return <T>({ decode, late, ...request }: Request<T>) =>
    call<T>((done) => {
      const take = (reply: Reply) => {
        const outcome = decoded(reply, decode);
        done(outcome);
        if ('fault' in outcome && outcome.fault.cause instanceof Malformed) end(outcome.fault);
      };
      exchange.send(request, take);
    }, late);
}

function decoded<T>(reply: Reply, decode: (reply: Reply) => T): Outcome<T> {
  try {
    return { value: decode(reply) };
  } catch (error) {
    return { fault: error instanceof Malformed ? malformed(error) : sftpFault(error) };
  }
}

async function askMost(ask: Ask): Promise<number> {
  const { read_bytes, write_bytes } = await ask({ type: EXTENDED, fields: [text(LIMITS)], decode: toLimits });
  const least = Math.min(read_bytes || CERTAIN_BYTES, write_bytes || CERTAIN_BYTES);
  return Math.max(CERTAIN_BYTES, least); // with a smaller value, one chunk would take thousands of requests
}

function malformed(cause: Malformed): Fault {
  return new Fault('sftp_failed', 'The SFTP server does not follow the protocol', { cause });
}

/** The stream of an SFTP subsystem before the first packet. */
export function startSubsystem(
  connection: Connection,
  { clock, operation_timeout_ms, overdue: onOverdue }: CallOptions,
): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (outcome: () => void) => {
      if (settled) return;
      settled = true;
      cancel();
      unlisten();
      outcome();
    };
    const overdue = () => {
      onOverdue?.();
      reject(connection.fault('operation_timeout', 'did not start SFTP in time'));
    };
    const cancel = clock.after(operation_timeout_ms, () => settle(overdue));
    let unlisten = () => {};
    unlisten = connection.onEnd((fault) => settle(() => reject(fault)));
    if (settled) return;
    try {
      connection.client.subsys('sftp', (error, stream) => {
        if (settled) stream?.close();
        else if (error) settle(() => reject(withoutSftp(connection, error)));
        else settle(() => resolve(stream));
      });
    } catch (error) {
      // ssh2 throws when its socket is gone before the connection has reported it.
      settle(() => reject(new Fault('host_disconnected', undefined, { cause: error })));
    }
  });
}

export function withoutSftp(connection: Connection, cause: unknown): Fault {
  return connection.fault('sftp_unavailable', 'offers no SFTP subsystem', cause);
}
