import type { FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import { Fault } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Connection } from '../ssh/connection.ts';
import { codeOf, SFTP_EOF, sftpFault } from '../ssh/faults.ts';

const NO_SFTP = 'offers no SFTP subsystem';

/** An open file or directory of the server. */
export type Handle = Buffer;

/** One SFTP subsystem as promises; every rejection is a Fault. */
export interface SftpChannel {
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<Stats>;
  lstat(path: string): Promise<Stats>;
  readlink(path: string): Promise<string>;
  opendir(path: string): Promise<Handle>;
  /** The next entries, without `.` and `..`; undefined at the end. */
  readdir(handle: Handle): Promise<FileEntryWithStats[] | undefined>;
  /** For reading. */
  open(path: string): Promise<Handle>;
  fstat(handle: Handle): Promise<Stats>;
  /** Fewer bytes than asked for are a short read, none the end of the file. */
  read(handle: Handle, position: number, length: number): Promise<Uint8Array>;
  close(handle: Handle): Promise<void>;
  ended(): Fault | undefined;
}

export interface ChannelOptions {
  readonly clock: Clock;
  /** How long the server may leave requests without any answer. */
  readonly operation_timeout_ms: number;
}

export async function openSftpChannel(connection: Connection, options: ChannelOptions): Promise<SftpChannel> {
  const sftp = await startSubsystem(connection, options);
  const calls = createCalls(options);
  const lost = (fault: Fault) => calls.end(fault);
  const unlisten = connection.onEnd(lost);
  const onClose = (cause?: unknown) => {
    unlisten();
    lost(connection.ended() ?? new Fault('host_disconnected', undefined, { cause }));
  };
  sftp.on('error', onClose);
  sftp.on('close', () => onClose());
  calls.onEnd(() => sftp.end());
  return toChannel(sftp, calls);
}

function startSubsystem(
  connection: Connection,
  { clock, operation_timeout_ms }: ChannelOptions,
): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (outcome: () => void) => {
      if (settled) return;
      settled = true;
      cancel();
      unlisten();
      outcome();
    };
    const cancel = clock.after(operation_timeout_ms, () => settle(() => reject(overdue())));
    const overdue = () => connection.fault('operation_timeout', 'did not start SFTP in time');
    let unlisten = () => {};
    unlisten = connection.onEnd((fault) => settle(() => reject(fault)));
    if (settled) return;
    const refuse = (error: unknown) =>
      settle(() => reject(connection.fault('sftp_unavailable', NO_SFTP, error)));
    try {
      connection.client.sftp((error, sftp) => {
        if (settled) sftp?.end();
        else if (error) refuse(error);
        else settle(() => resolve(sftp));
      });
    } catch (error) {
      // ssh2 throws when its socket is gone and the connection has not told so yet.
      settle(() => reject(new Fault('host_disconnected', undefined, { cause: error })));
    }
  });
}

type Done<T> = (error: Error | undefined | null, value: T) => void;

interface Calls {
  /** Starts a request; `late` disposes of what arrives when nobody waits for it any more. */
  call<T>(start: (done: Done<T>) => void, late?: (value: T) => void): Promise<T>;
  end(fault: Fault): void;
  onEnd(run: () => void): void;
  ended(): Fault | undefined;
}

/** Requests under way: they fail together when the channel ends, or when the server is silent for too long. */
function createCalls({ clock, operation_timeout_ms }: ChannelOptions): Calls {
  const waiting = new Set<(fault: Fault) => void>();
  let ended: Fault | undefined;
  let release = () => {};
  let heard_ms = 0;
  let cancelWatch: (() => void) | undefined;
  const now = () => clock.now().getTime();

  function end(fault: Fault): void {
    if (ended) return;
    ended = fault;
    cancelWatch?.();
    release();
    for (const fail of waiting) fail(fault);
    waiting.clear();
  }
  // The server answers in order, so silence concerns every request; one timer serves them all.
  function watch(delay_ms: number): void {
    cancelWatch = clock.after(delay_ms, () => {
      cancelWatch = undefined;
      if (waiting.size === 0) return;
      const left_ms = heard_ms + operation_timeout_ms - now();
      if (left_ms > 0) watch(left_ms);
      else end(new Fault('operation_timeout'));
    });
  }
  return {
    end,
    ended: () => ended,
    onEnd(run) {
      release = run;
    },
    call: (start, late) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended);
        if (waiting.size === 0) heard_ms = now();
        if (!cancelWatch) watch(operation_timeout_ms);
        waiting.add(reject);
        start((error, value) => {
          heard_ms = now();
          const expected = waiting.delete(reject);
          if (error) reject(sftpFault(error));
          else if (expected) resolve(value);
          else late?.(value);
        });
      }),
  };
}

function toChannel(sftp: SFTPWrapper, { call, ended }: Calls): SftpChannel {
  const discard = (handle: Handle) => sftp.close(handle, () => {});
  return {
    ended,
    realpath: (path) => call((done) => sftp.realpath(path, done)),
    stat: (path) => call((done) => sftp.stat(path, done)),
    lstat: (path) => call((done) => sftp.lstat(path, done)),
    readlink: (path) => call((done) => sftp.readlink(path, done)),
    opendir: (path) => call((done) => sftp.opendir(path, done), discard),
    open: (path) => call((done) => sftp.open(path, 'r', done), discard),
    fstat: (handle) => call((done) => sftp.fstat(handle, done)),
    close: (handle) => call((done) => sftp.close(handle, (error) => done(error, undefined))),
    readdir: (handle) =>
      call((done) =>
        sftp.readdir(handle, (error, entries) => {
          if (codeOf(error) === SFTP_EOF) done(undefined, undefined);
          else done(error, entries);
        }),
      ),
    read: (handle, position, length) =>
      call((done) => {
        const buffer = Buffer.allocUnsafe(length);
        sftp.read(handle, buffer, 0, length, position, (error, count) =>
          done(error, count === length ? buffer : buffer.subarray(0, count)),
        );
      }),
  };
}
