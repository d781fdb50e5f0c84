import type { ClientChannel } from 'ssh2';
import { packet, u32 } from './encode.ts';
import { lengthOf, type Pieces } from './pieces.ts';
import { createReplies, type Reply } from './replies.ts';
import { INIT, PROTOCOL_VERSION, VERSION } from './wire.ts';

export interface Sendable {
  readonly type: number;
  readonly fields: readonly Uint8Array[];
  /** Sent after the fields without being copied. */
  readonly content?: Pieces;
}

/** Matches requests and replies on one stream. */
export interface Exchange {
  /** Sends INIT; the server answers with its extensions. */
  greet(take: (extensions: Buffer) => void): void;
  send(request: Sendable, take: (reply: Reply) => void): void;
  close(): void;
}

export function createExchange(stream: ClientChannel, broken: (why: string) => void): Exchange {
  const pending = new Map<number, (reply: Reply) => void>();
  let takeGreeting: ((extensions: Buffer) => void) | undefined;
  let last_id = 0;
  const feed = createReplies({
    broken,
    reply(id, reply) {
      if (reply.type === VERSION) {
        takeGreeting?.(reply.body); // carries the version instead of an id; never higher than ours
        takeGreeting = undefined;
        return;
      }
      const take = pending.get(id);
      pending.delete(id);
      take?.(reply);
    },
  });
  stream.on('data', feed);
  stream.stderr.resume(); // unread, it would fill the channel's window
  return {
    greet(take) {
      takeGreeting = take;
      stream.write(packet(INIT, [u32(PROTOCOL_VERSION)]));
    },
    send({ type, fields, content = [] }, take) {
      last_id = (last_id + 1) >>> 0;
      pending.set(last_id, take);
      stream.write(packet(type, [u32(last_id), ...fields], lengthOf(content)));
      for (const piece of content) stream.write(piece);
    },
    close() {
      stream.off('data', feed);
      stream.resume();
      pending.clear();
      stream.close();
    },
  };
}
