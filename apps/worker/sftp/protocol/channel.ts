import type { ClientChannel } from 'ssh2';
import { Fault } from '#core/errors.ts';
import type { Connection } from '../../ssh/connection.ts';
import { sftpFault } from '../../ssh/faults.ts';
import type { Stats } from './attributes.ts';
import { type CallOptions, type Calls, createCalls, type Outcome } from './calls.ts';
import { Malformed, type NamedEntry, toExtensions, toLimits } from './decode.ts';
import type { DiskSpace } from './disk-space.ts';
import { type Settable, text } from './encode.ts';
import { createExchange, type Exchange, type Sendable } from './exchange.ts';
import type { Pieces } from './pieces.ts';
import type { Reply } from './replies.ts';
import { createRequests } from './requests.ts';
import { startSubsystem, withoutSftp } from './subsystem.ts';
import { EXTENDED, type OPEN_FLAGS } from './wire.ts';

/** An open file or directory of the server. */
export type Handle = Buffer;

/** For reading, for reading and writing, to create what must not exist yet. */
export type OpenFlags = keyof typeof OPEN_FLAGS;

export type ChannelOptions = CallOptions;

/** One SFTP subsystem as promises; every rejection is a Fault. */
export interface SftpChannel {
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<Stats>;
  lstat(path: string): Promise<Stats>;
  readlink(path: string): Promise<string>;
  opendir(path: string): Promise<Handle>;
  /** The next entries, without `.` and `..`; undefined at the end. */
  readdir(handle: Handle): Promise<NamedEntry[] | undefined>;
  /** For reading unless told otherwise; the server's umask applies to the mode of what it creates. */
  open(path: string, flags?: OpenFlags, mode?: number): Promise<Handle>;
  fstat(handle: Handle): Promise<Stats>;
  /** Fewer bytes than asked for are a short read, none the end of the file. */
  read(handle: Handle, position: number, length: number): Promise<Uint8Array>;
  /** The same in the pieces in which they came, which saves a copy. */
  readPieces(handle: Handle, position: number, length: number): Promise<Pieces>;
  /** All of the bytes or a failure; they must not change before it is settled. */
  write(handle: Handle, position: number, pieces: Pieces): Promise<void>;
  close(handle: Handle): Promise<void>;
  /** Follows a link. */
  setstat(path: string, attributes: Settable): Promise<void>;
  fsetstat(handle: Handle, attributes: Settable): Promise<void>;
  /** Never follows a link; `isUnsupported` where there is no `lsetstat@openssh.com`. */
  lsetstat(path: string, attributes: Settable): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  /** Of version 3: what stands at `to` is not replaced. */
  rename(from: string, to: string): Promise<void>;
  /** Replaces what stands at `to`; `isUnsupported` where there is no `posix-rename@openssh.com`. */
  posixRename(from: string, to: string): Promise<void>;
  /** Of the file system that the path is on; `isUnsupported` where there is no `statvfs@openssh.com`. */
  statvfs(path: string): Promise<DiskSpace>;
  /** What the server surely takes or gives at a time. */
  readonly most_bytes: number;
  ended(): Fault | undefined;
}

// What every server must take, draft-ietf-secsh-filexfer-02 §3, when it does not tell more.
const CERTAIN_BYTES = 32 * 1024;
const LIMITS = 'limits@openssh.com';

export async function openSftpChannel(connection: Connection, options: ChannelOptions): Promise<SftpChannel> {
  const stream = await startSubsystem(connection, options);
  const calls = createCalls(options);
  const exchange = createExchange(stream, (why) => calls.end(malformed(new Malformed(why))));
  endTogether({ connection, stream, calls, exchange });
  try {
    const extensions = await greet(exchange, calls, connection);
    const ask = createAsk(exchange, calls);
    const most_bytes = extensions.has(LIMITS) ? await askMost(ask) : CERTAIN_BYTES;
    return { ...createRequests(ask, { extensions, most_bytes }), most_bytes, ended: calls.ended };
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
}

function endTogether({ connection, stream, calls, exchange }: Parts): void {
  const lose = (cause?: unknown) =>
    calls.end(connection.ended() ?? new Fault('host_disconnected', undefined, { cause }));
  stream.on('error', lose);
  stream.on('end', () => lose());
  stream.on('close', () => lose());
  const unlisten = connection.onEnd((fault) => calls.end(fault));
  calls.onEnd(() => {
    unlisten();
    exchange.close();
  });
}

async function greet(
  exchange: Exchange,
  calls: Calls,
  connection: Connection,
): Promise<ReadonlyMap<string, string>> {
  try {
    return toExtensions(await calls.call<Buffer>((done) => exchange.greet((value) => done({ value }))));
  } catch (error) {
    if (error instanceof Malformed) throw malformed(error);
    // sshd starts whatever it has a name for: a program that is missing ends at once.
    const is_over = connection.ended() || calls.ended()?.code === 'operation_timeout';
    throw is_over ? error : withoutSftp(connection, error);
  }
}

/** Sends a request and takes its reply apart; `late` disposes of what arrives when nobody waits for it any more. */
export type Ask = <T>(request: Request<T>) => Promise<T>;

export interface Request<T> extends Sendable {
  readonly decode: (reply: Reply) => T;
  readonly late?: (value: T) => void;
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
  return Math.max(CERTAIN_BYTES, least); // what tells less would be asked thousands of times for one chunk
}

function malformed(cause: Malformed): Fault {
  return new Fault('sftp_failed', 'The SFTP server does not follow the protocol', { cause });
}
