import type { Duplex } from 'node:stream';
import { printable } from '#core/lib/text.ts';
import { type KexInit, MAX_PACKET_BYTES, readKexInit } from '../algorithms/kexinit.ts';
import type { Attempt } from '../attempt.ts';
import { type Greeting, notSshFault } from '../faults.ts';

export interface Overheard extends Greeting {
  stop(): void;
}

export const NOTHING_HEARD: Overheard = {
  said: () => '',
  ident: () => undefined,
  offers: () => undefined,
  stop() {},
};

const GREETING_BYTES = 1024;
const MOST_QUOTED = 80;
const MAX_HEARD_BYTES = GREETING_BYTES + MAX_PACKET_BYTES;

/**
 * The identification of the peer and its offer of algorithms, read beside ssh2, which tells nobody of them, and no byte
 * longer; must start after ssh2 paused the stream.
 */
export function overhear(stream: Duplex, attempt: Attempt): Overheard {
  let heard = Buffer.alloc(0);
  let said = '';
  let ident: string | undefined;
  let offers: KexInit | undefined;
  const greeting = { said: () => said, ident: () => ident, offers: () => offers, stop };

  function stop(): void {
    stream.off('data', listen);
    heard = Buffer.alloc(0);
  }
  function listen(chunk: Buffer): void {
    heard = Buffer.concat([heard, chunk], Math.min(heard.length + chunk.length, MAX_HEARD_BYTES));
    said ||= printable(
      heard.toString('utf8', 0, GREETING_BYTES).trimStart().split('\n', 1)[0] ?? '',
      MOST_QUOTED,
    );
    const line = /^(SSH-[^\r\n]*)(\r?\n)?/m.exec(heard.toString('latin1', 0, GREETING_BYTES));
    ident = line?.[1];
    attempt.blame(ident === undefined ? () => notSshFault(attempt, greeting) : undefined);
    const packet = line?.[2] ? readKexInit(heard.subarray(line.index + line[0].length)) : undefined;
    offers = packet ?? undefined;
    if (packet !== undefined || heard.length >= (ident ? MAX_HEARD_BYTES : GREETING_BYTES)) stop();
  }
  stream.on('data', listen);
  return greeting;
}
