import { type IncomingMessage, ServerResponse } from 'node:http';
import { giveBackChunk } from '#core/lib/bytes/chunk-memory.ts';

/** Gives the memory of a chunk back once the kernel has all of it; the adapter writes each chunk once and forgets it. */
export class ReusingResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override write(chunk: unknown, ...rest: unknown[]): boolean {
    const has_callback = rest.length > 0;
    if (has_callback || !(chunk instanceof Uint8Array))
      return Reflect.apply(super.write, this, [chunk, ...rest]);
    return super.write(chunk, (error) => {
      const is_sent = !error && this.socket?.destroyed === false; // Node reports no error for a write that it cuts off
      if (is_sent) giveBackChunk(chunk);
    });
  }
}
