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
  const c = { var: { request_id: 'r' } } as Parameters<typeof streamedBody>[0]; // The code under test reads nothing else.
  const sent = streamedBody(c, stream, { runtime: { breakOff, onGone: () => forget }, log: { warn } });
  return { breakOff, warn, forget, sent, fail: (error: Error) => source?.error(error) };
}

describe('A streamed body that fails', () => {
  it('breaks the connection and logs the reason even when the client reads nothing', async () => {
    const { breakOff, warn, forget, fail } = body();
    fail(new Fault('download_unread'));
    await eventually(() => expect(breakOff).toHaveBeenCalledOnce());
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'download_unread', request_id: 'r' }),
      expect.any(String),
    );
    expect(forget).toHaveBeenCalledOnce();
  });

  it('breaks the connection once while the client is reading', async () => {
    const { breakOff, sent, fail } = body();
    const read = sent.getReader().read();
    fail(new Fault('host_disconnected'));
    expect((await read).done).toBe(true);
    expect(breakOff).toHaveBeenCalledOnce();
  });
});
