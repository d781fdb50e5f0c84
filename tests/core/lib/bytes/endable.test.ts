import { describe, expect, it, vi } from 'vitest';
import { Fault } from '#core/errors.ts';
import { endable } from '#core/lib/bytes/endable.ts';
import { handClock } from '../../../support/hand-clock.ts';

const UNREAD_MS = 60_000;
const CHUNK = new Uint8Array(1000);

/** A source without end, and how it was ended. */
function held() {
  const clock = handClock(1000);
  const onOver = vi.fn();
  const cancel = vi.fn();
  const source = new ReadableStream<Uint8Array>(
    { pull: (own) => own.enqueue(CHUNK), cancel },
    { highWaterMark: 0 },
  );
  const unread = { after: clock.after, ms: UNREAD_MS, error: () => new Fault('download_unread') };
  const { stream, end } = endable(source, { onOver, unread });
  return { clock, onOver, cancel, end, reader: stream.getReader() };
}

describe('A download', () => {
  it('ends with download_unread when the client reads nothing for too long, and stops reading from the host', async () => {
    const { clock, reader, onOver, cancel } = held();
    await reader.read();
    await clock.pass(UNREAD_MS);
    await expect(reader.read()).rejects.toMatchObject({ code: 'download_unread' });
    expect(cancel).toHaveBeenCalledOnce();
    expect(onOver).toHaveBeenCalledOnce();
  });

  it('ends the same way when the client never starts reading', async () => {
    const { clock, reader, onOver } = held();
    await clock.pass(UNREAD_MS);
    await expect(reader.read()).rejects.toMatchObject({ code: 'download_unread' });
    expect(onOver).toHaveBeenCalledOnce();
  });

  it('continues for a slow reader', async () => {
    const { clock, reader, onOver } = held();
    for (let count = 0; count < 5; count += 1) {
      await clock.pass(UNREAD_MS - 1000);
      expect((await reader.read()).done).toBe(false);
    }
    expect(onOver).not.toHaveBeenCalled();
  });

  it('leaves no timer when it is cancelled or ended', async () => {
    const left = held();
    await left.reader.cancel();
    expect(left.clock.timers()).toBe(0);
    const ended = held();
    ended.end(new Fault('transfer_ended'));
    expect(ended.clock.timers()).toBe(0);
    await expect(ended.reader.read()).rejects.toMatchObject({ code: 'transfer_ended' });
  });
});
