import { expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { inChunks, sentOnce } from '#worker/sftp/protocol/pieces.ts';
import { failureOf } from '../../setup.ts';

const CHUNK_BYTES = 10;

/** Yields what the test says, when it says so. */
function slowSource() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 16,
  });
  const writer = writable.getWriter();
  return {
    chunks: inChunks(readable, () => CHUNK_BYTES),
    send: (text: string) => void writer.write(Buffer.from(text)).catch(() => {}),
    end: () => void writer.close(),
    breakOff: () => void writer.abort(new Fault('host_disconnected')).catch(() => {}),
  };
}

/** Undefined at the end. */
async function nextOf(chunks: ReturnType<typeof inChunks>): Promise<string | undefined> {
  const { done, value } = await chunks.next();
  return done ? undefined : Buffer.concat(value).toString();
}

it('forgets bytes once they are sent, and refuses to send them again', () => {
  const content = sentOnce([Buffer.from('abc'), Buffer.from('de')]);
  expect(Buffer.concat(content.take()).toString()).toBe('abcde');
  expect(() => content.take()).toThrow('already been sent');
  expect(content.bytes).toBe(5);
});

it('yields what a slow sender has sent while nothing more arrives', async () => {
  const { chunks, send, end } = slowSource();
  send('abc');
  expect(await nextOf(chunks)).toBe('abc');
  send('def');
  expect(await nextOf(chunks)).toBe('def');
  end();
  expect(await nextOf(chunks)).toBeUndefined();
});

it('yields after a moment although more keeps arriving', async () => {
  async function* trickling() {
    for (;;) {
      yield Buffer.from('a');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  const chunks = inChunks(trickling(), () => Number.MAX_SAFE_INTEGER);
  expect(await nextOf(chunks)).toMatch(/^a+$/);
  await chunks.return(undefined);
});

it('yields what arrived before the sender failed, and then the failure', async () => {
  async function* broken() {
    yield Buffer.from('abc');
    throw new Fault('host_disconnected');
  }
  const chunks = inChunks(broken(), () => CHUNK_BYTES);
  expect(await nextOf(chunks)).toBe('abc');
  expect(await failureOf(nextOf(chunks))).toMatchObject({ code: 'host_disconnected' });
});

it('fills its chunks when data is available, and cancels the source when the rest is not needed', async () => {
  let is_ended = false;
  async function* source() {
    try {
      for (;;) yield Buffer.from('abcdefg');
    } finally {
      is_ended = true;
    }
  }
  const chunks = inChunks(source(), () => CHUNK_BYTES);
  expect(await nextOf(chunks)).toBe('abcdefgabc');
  expect(await nextOf(chunks)).toBe('defgabcdef');
  await chunks.return(undefined);
  expect(is_ended).toBe(true);
});
