import type { Duplex } from 'node:stream';
import { printable } from '#core/lib/text/printable.ts';
import { type KexInit, MAX_PACKET_BYTES, readKexInit } from '../algorithms/kexinit.ts';
import type { Attempt } from '../attempt.ts';
import { type Greeting, notSshFault } from '../faults.ts';

export interface GreetingWatch extends Greeting {
  /** Forgets what the peer said: ssh2 keeps its listeners, and with them this watch, as long as the connection. */
  stop(): void;
}

export const NO_GREETING: GreetingWatch = {
  said: () => '',
  ident: () => undefined,
  offers: () => undefined,
  stop() {},
};

const GREETING_BYTES = 1024;
const MAX_QUOTED = 80;
const MAX_RECEIVED_BYTES = GREETING_BYTES + MAX_PACKET_BYTES;

/**
 * Reads the identification and algorithm offer of the peer alongside ssh2, which does not expose them, and stops right
 * after. Must start after ssh2 has paused the stream.
 */
export function watchGreeting(stream: Duplex, attempt: Attempt): GreetingWatch {
  let received = Buffer.alloc(0);
  let said = '';
  let ident: string | undefined;
  let offers: KexInit | undefined;
  const greeting = { said: () => said, ident: () => ident, offers: () => offers, stop };

  function unlisten(): void {
    stream.off('data', listen);
    received = Buffer.alloc(0);
  }
  function stop(): void {
    unlisten();
    said = '';
    ident = undefined;
    offers = undefined;
  }
  function listen(chunk: Buffer): void {
    received = Buffer.concat([received, chunk], Math.min(received.length + chunk.length, MAX_RECEIVED_BYTES));
    said ||= printable(
      received.toString('utf8', 0, GREETING_BYTES).trimStart().split('\n', 1)[0] ?? '',
      MAX_QUOTED,
    );
    const line = /^(SSH-[^\r\n]*)(\r?\n)?/m.exec(received.toString('latin1', 0, GREETING_BYTES));
    ident = line?.[1];
    attempt.setTimeoutFault(ident === undefined ? () => notSshFault(attempt, greeting) : undefined);
    const packet = line?.[2] ? readKexInit(received.subarray(line.index + line[0].length)) : undefined;
    offers = packet ?? undefined;
    if (packet !== undefined || received.length >= (ident ? MAX_RECEIVED_BYTES : GREETING_BYTES)) unlisten();
  }
  stream.on('data', listen);
  return greeting;
}
