import type { IncomingMessage } from 'node:http';
import { Fault } from '#core/errors.ts';
import type { After } from '#core/lib/timers.ts';
import type { ByteSource } from '#core/ports/files.ts';

const SILENCE_MS = 60_000; // whoever sends nothing for as long is taken for gone
const AHEAD_BYTES = 256 * 1024; // read from the socket while the host is still being written to

/** The body as it comes in, to be taken once; its sender is held up for as long as nobody takes it. */
export function requestBody(incoming: IncomingMessage, after: After): ByteSource {
  return { [Symbol.asyncIterator]: () => readBody(incoming, after) };
}

function readBody(incoming: IncomingMessage, after: After): AsyncIterator<Uint8Array, undefined> {
  const ahead: Uint8Array[] = [];
  let ahead_bytes = 0;
  let end: 'whole' | Fault | undefined;
  let is_left = false;
  let wake = () => {};

  function onData(bytes: Uint8Array): void {
    ahead.push(bytes);
    ahead_bytes += bytes.length;
    if (ahead_bytes >= AHEAD_BYTES) incoming.pause();
    wake();
  }
  function onEnd(): void {
    settle(incoming.complete ? 'whole' : brokenOff());
  }
  function onClose(): void {
    settle(brokenOff());
  }
  function settle(how: 'whole' | Fault): void {
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
  function somethingNew(): Promise<void> {
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
      if (is_left) return { done: true, value: undefined };
      if (ahead.length === 0 && !end) await somethingNew();
      const value = take();
      if (value) return { done: false, value };
      if (end instanceof Fault) throw end;
      return { done: true, value: undefined };
    },
    async return() {
      is_left = true;
      ahead.length = 0;
      settle(brokenOff()); // for whoever still waits: this is not the end of it
      return { done: true, value: undefined };
    },
  };
}

function brokenOff(): Fault {
  return new Fault('validation', 'The body was broken off');
}

/** Without a listener for good, an error that is already on its way when reading ends would stop the process. */
function ignoreError(): void {}
