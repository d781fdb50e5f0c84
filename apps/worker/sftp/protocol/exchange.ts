import type { ClientChannel } from 'ssh2';
import { packet, u32 } from './encode.ts';
import type { SentOnce } from './pieces.ts';
import { createReplies, type Reply } from './replies.ts';
import { INIT, PROTOCOL_VERSION, VERSION } from './wire.ts';

export interface Sendable {
  readonly type: number;
  readonly fields: readonly Uint8Array[];
  /** Sent after the fields without being copied. */
  readonly content?: SentOnce;
  /** The content of DATA is written here. Nobody may use it before the reply. */
  readonly room?: Uint8Array | undefined;
}

interface Pending {
  readonly take: (reply: Reply) => void;
  readonly room: Uint8Array | undefined;
}

/** Matches requests and replies on one stream. */
export interface Exchange {
  /** Sends INIT; the server answers with its extensions. */
  greet(take: (extensions: Buffer) => void): void;
  send(request: Sendable, take: (reply: Reply) => void): void;
  close(): void;
}

export function createExchange(stream: ClientChannel, broken: (why: string) => void): Exchange {
  const pending = new Map<number, Pending>();
  let takeGreeting: ((extensions: Buffer) => void) | undefined;
  let last_id = 0;
  const feed = createReplies({
    broken,
    roomFor: (id) => pending.get(id)?.room,
    reply(id, reply) {
      if (reply.type === VERSION) {
        takeGreeting?.(reply.body); // carries the version instead of an id; never higher than ours
        takeGreeting = undefined;
        return;
      }
      const asked = pending.get(id);
      pending.delete(id);
      asked?.take(reply);
    },
  });
  stream.on('data', feed);
  stream.stderr.resume(); // unread, it would fill the channel's window
  return {
    greet(take) {
      takeGreeting = take;
      stream.write(packet(INIT, [u32(PROTOCOL_VERSION)]));
    },
    send({ type, fields, content, room }, take) {
      const pieces = content?.take() ?? [];
      last_id = (last_id + 1) >>> 0;
      pending.set(last_id, { take, room });
      stream.write(packet(type, [u32(last_id), ...fields], content?.bytes));
      for (const piece of pieces) stream.write(piece);
    },
    close() {
      stream.off('data', feed);
      stream.resume();
      pending.clear();
      stream.close();
    },
  };
}
