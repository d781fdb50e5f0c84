import { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { describe, expect, it } from 'vitest';
import { enforceWindow } from '#worker/ssh/channels/window.ts';
import { readAll } from '../streams.ts';

const MIB = 1024 * 1024;
const FAILS = () => {
  throw new Error('The window was exceeded');
};

/** Two outputs as ssh2 has them; `renewed` counts how often they may ask for more. */
function outputs(violated: () => void = FAILS) {
  let renewed = 0;
  const make = () =>
    new Readable({
      highWaterMark: 2 * MIB,
      read() {
        renewed += 1;
      },
    });
  const [stdout, stderr] = [make(), make()];
  enforceWindow({ stdout, stderr } as unknown as ClientChannel, violated);
  return { stdout, stderr, renewed: () => renewed };
}

const content = (length: number) => Buffer.from(Array.from({ length }, (_, nth) => nth % 251));

async function chunksOf(stream: Readable): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe('the outputs of a channel', () => {
  it('keep bytes that nobody reads in few pieces, however they came', async () => {
    const { stdout } = outputs();
    const bytes = content(100_000);
    for (const byte of bytes) stdout.push(Buffer.of(byte));
    stdout.push(null);
    const chunks = await chunksOf(stdout);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    expect(chunks.length).toBeLessThan(5000);
  });

  it.each([1, 4095, 32_000, 100_000])('come whole and in order in chunks of %i bytes', async (size) => {
    const { stdout } = outputs();
    const bytes = content(300_000);
    for (let at = 0; at < bytes.length; at += size) stdout.push(bytes.subarray(at, at + size));
    stdout.push(null);
    expect((await readAll(Readable.toWeb(stdout) as ReadableStream<Uint8Array>)).equals(bytes)).toBe(true);
  });

  it('come in order while they are read and more arrives', async () => {
    const { stdout } = outputs();
    const bytes = content(300_000);
    const reading = chunksOf(stdout);
    for (let at = 0; at < bytes.length; at += 1000) {
      stdout.push(bytes.subarray(at, at + 1000));
      if (at % 50_000 === 0) await new Promise(setImmediate);
    }
    stdout.push(null);
    expect(Buffer.concat(await reading).equals(bytes)).toBe(true);
  });

  it('ask for more only when little is unread of both together', () => {
    const { stdout, stderr, renewed } = outputs();
    stdout.push(Buffer.alloc(MIB));
    stderr.push(Buffer.alloc(10));
    stderr.read();
    expect(renewed()).toBe(0);
    while (stdout.read() !== null);
    expect(renewed()).toBeGreaterThan(0);
  });

  it('report once that the host ignores the window', () => {
    let violations = 0;
    const { stdout } = outputs(() => {
      violations += 1;
    });
    for (let sent = 0; sent < 8; sent += 1) stdout.push(Buffer.alloc(MIB));
    expect(violations).toBe(1);
  });
});
