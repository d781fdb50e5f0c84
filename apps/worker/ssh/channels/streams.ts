import type { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { Fault } from '#core/errors.ts';
import { untilAborted } from '#core/lib/time/deadline.ts';
import type { Connection } from '../connection.ts';
import { onChannelClosed } from '../internals/channel-closes.ts';
import { enforceWindow } from './window.ts';

/** An open channel whose web streams pass on the pace of their users; the host is paused with the reader. */
export interface OpenChannel {
  /** Ends with the EOF of the host. */
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Closing it sends EOF; the other direction stays open. */
  readonly input: WritableStream<Uint8Array>;
  /** True when the host has sent everything, whether it has been read or not. */
  isComplete(): boolean;
  /** Breaks all streams with this error, except for outputs that are complete. */
  fail(error: unknown): void;
}

interface Listener {
  /** Called once, when the host has closed the channel or the connection is gone. */
  closed(): void;
  /** Called when the input was aborted: what the host got is not all of it. */
  aborted(reason: unknown): void;
}

export function openStreams(channel: ClientChannel, connection: Connection, listener: Listener): OpenChannel {
  enforceWindow(channel, () =>
    connection.close(connection.fault('ssh_protocol', 'sent more data than its window allows')),
  );
  channel.on('error', () => {}); // a write to a closing channel
  const over = new AbortController();
  const outputs = [toOutput(channel), toOutput(channel.stderr)] as const;
  onChannelClosed(channel, () => {
    over.abort(connection.ended() ?? new Fault('host_disconnected', 'The host has closed the channel'));
    queueMicrotask(listener.closed); // ssh2 is in the middle of closing it
  });
  const input = toInput(channel, {
    over: over.signal,
    drained: connection.drained,
    aborted: listener.aborted,
  });
  return {
    stdout: outputs[0].stream,
    stderr: outputs[1].stream,
    input,
    isComplete: () => outputs.every(({ isComplete }) => isComplete()),
    fail(error) {
      over.abort(error);
      for (const output of outputs) if (!output.isComplete()) output.fail(error);
    },
  };
}

interface Output {
  readonly stream: ReadableStream<Uint8Array>;
  isComplete(): boolean;
  fail(error: unknown): void;
}

function toOutput(from: Readable): Output {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let is_complete = false;
  const push = from.push.bind(from);
  from.push = (bytes: Buffer | null) => {
    is_complete ||= bytes === null;
    const wants_more = push(bytes);
    if (is_complete && from.readableLength === 0) from.resume(); // ends an empty output that nobody reads
    return wants_more;
  };
  function take(bytes: Buffer): void {
    from.pause();
    controller?.enqueue(bytes);
  }
  function end(): void {
    controller?.close();
    controller = undefined;
  }
  /** What still comes is discarded, so that the other stream gets its part of the window. */
  function discard(): void {
    controller = undefined;
    from.off('data', take).off('end', end).resume();
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
        from.pause();
        from.on('data', take).once('end', end);
      },
      pull: () => void from.resume(),
      cancel: discard,
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    isComplete: () => is_complete,
    fail(error) {
      controller?.error(error);
      discard();
    },
  };
}

const PIECE_BYTES = 64 * 1024; // so that many channels together queue little on a slow line, however large their windows are

interface InputOptions {
  /** Aborts when nothing can be written any more. */
  readonly over: AbortSignal;
  readonly drained: () => Promise<void>;
  readonly aborted: (reason: unknown) => void;
}

function toInput(
  channel: ClientChannel,
  { over, drained, aborted }: InputOptions,
): WritableStream<Uint8Array> {
  const run = (start: (done: (error?: Error | null) => void) => void) =>
    untilAborted(
      over,
      new Promise<void>((resolve, reject) => {
        start((error) => (error ? reject(error) : resolve()));
      }),
    );
  return new WritableStream<Uint8Array>({
    start(controller) {
      over.addEventListener('abort', () => controller.error(over.reason), { once: true });
    },
    async write(bytes) {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        await untilAborted(over, drained());
        const piece = bytes.subarray(at, at + PIECE_BYTES);
        await run((done) => channel.write(piece, done));
      }
    },
    close: () => run((done) => channel.end(done)),
    abort: aborted,
  });
}
