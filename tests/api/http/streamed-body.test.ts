import { describe, expect, it, vi } from 'vitest';
import { streamedBody } from '#api/http/streamed-body.ts';
import { Fault } from '#core/errors.ts';
import { eventually } from '../../support/eventually.ts';

function body() {
  const breakOff = vi.fn();
  const warn = vi.fn();
  const forget = vi.fn();
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (own) => {
      source = own;
    },
  });
  const c = { var: { request_id: 'r' } } as Parameters<typeof streamedBody>[0]; // all that is looked at
  const sent = streamedBody(c, stream, { runtime: { breakOff, onGone: () => forget }, log: { warn } });
  return { breakOff, warn, forget, sent, fail: (error: Error) => source?.error(error) };
}

describe('A body that fails', () => {
  it('breaks the connection and says why also when its client reads nothing of it', async () => {
    const { breakOff, warn, forget, fail } = body();
    fail(new Fault('download_unread'));
    await eventually(() => expect(breakOff).toHaveBeenCalledOnce());
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'download_unread', request_id: 'r' }),
      expect.any(String),
    );
    expect(forget).toHaveBeenCalledOnce();
  });

  it('breaks the connection once when its client is reading', async () => {
    const { breakOff, sent, fail } = body();
    const read = sent.getReader().read();
    fail(new Fault('host_disconnected'));
    expect((await read).done).toBe(true);
    expect(breakOff).toHaveBeenCalledOnce();
  });
});
