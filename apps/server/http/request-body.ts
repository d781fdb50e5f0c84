import type { IncomingMessage } from 'node:http';
import { Fault } from '#core/errors.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { ByteSource } from '#core/ports/files.ts';

const SILENCE_MS = 60_000; // a client that sends nothing for this long is considered gone
const AHEAD_BYTES = 256 * 1024; // buffered while the host is still writing

/** The body as it arrives, readable once, with back-pressure on its sender. */
export function requestBody(incoming: IncomingMessage, after: After): ByteSource {
  return { [Symbol.asyncIterator]: () => readBody(incoming, after) };
}

function readBody(incoming: IncomingMessage, after: After): AsyncIterator<Uint8Array, undefined> {
  const ahead: Uint8Array[] = [];
  let ahead_bytes = 0;
  let end: 'complete' | Fault | undefined;
  let is_returned = false;
  let wake = () => {};

  function onData(bytes: Uint8Array): void {
    ahead.push(bytes);
    ahead_bytes += bytes.length;
    if (ahead_bytes >= AHEAD_BYTES) incoming.pause();
    wake();
  }
  function onEnd(): void {
    settle(incoming.complete ? 'complete' : incomplete());
  }
  function onClose(): void {
    settle(incomplete());
  }
  function settle(how: 'complete' | Fault): void {
    end ??= how;
    incoming.off('data', onData).off('end', onEnd).off('close', onClose).pause();
    wake();
  }

  incoming.on('error', ignoreError).on('end', onEnd).on('close', onClose).on('data', onData);
  if (incoming.destroyed) onClose();

  function take(): Uint8Array | undefined {
    const bytes = ahead.shift();
    ahead_bytes -= bytes?.length ?? 0;
    if (!end && ahead_bytes < AHEAD_BYTES) incoming.resume();
    return bytes;
  }
  function dataOrEnd(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = after(SILENCE_MS, () => settle(new Fault('body_timeout')));
      wake = () => {
        cancel();
        resolve();
      };
    });
  }
  return {
    async next() {
      if (is_returned) return { done: true, value: undefined };
      if (ahead.length === 0 && !end) await dataOrEnd();
      const value = take();
      if (value) return { done: false, value };
      if (end instanceof Fault) throw end;
      return { done: true, value: undefined };
    },
    async return() {
      is_returned = true;
      ahead.length = 0;
      settle(incomplete()); // a pending next() must not mistake this for the end of the body
      return { done: true, value: undefined };
    },
  };
}

function incomplete(): Fault {
  return new Fault('validation', 'The request body is incomplete');
}

/** Stays attached: without a listener, an error that arrives after reading ends would stop the process. */
function ignoreError(): void {}
