import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createChunkMemory } from '#core/lib/bytes/chunk-memory.ts';
import { ReusingResponse } from '#server/http/reusing-response.ts';
import { listenWith } from '../../support/gateway/listening.ts';

const CHUNK_BYTES = 256 * 1024;
const CHUNKS = 10;
const BODY_BYTES = CHUNKS * CHUNK_BYTES;
const END_OF_HEAD = '\r\n\r\n';

/** Borrowed chunks, filled with the number in the path. */
function filled({ url }: Request, memory = createChunkMemory()): Response {
  const number = Number(new URL(url).pathname.slice(1));
  let left = CHUNKS;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = memory.borrow(CHUNK_BYTES);
      if (chunk) controller.enqueue(chunk.fill(number));
      left -= 1;
      if (left === 0) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-length': String(BODY_BYTES) } });
}

interface Reader {
  readonly port: number;
  readonly numbers: readonly number[];
  /** Turns of the event loop between two reads. */
  readonly turns: number;
  readonly most_bytes?: number;
}

/** Pipelines the requests and reads until the server closes the connection, or disconnects after `most_bytes`. */
async function read({ port, numbers, turns, most_bytes = Number.POSITIVE_INFINITY }: Reader) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const close = (index: number) => (index === numbers.length - 1 ? 'Connection: close\r\n' : '');
  socket.write(
    numbers.map((number, index) => `GET /${number} HTTP/1.1\r\nHost: x\r\n${close(index)}\r\n`).join(''),
  );
  const received: Buffer[] = [];
  for await (const bytes of socket) {
    received.push(bytes);
    if (socket.bytesRead > most_bytes) break;
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
  }
  return Buffer.concat(received);
}

/** Of one response after another. */
function* bodies(received: Buffer): Generator<Buffer> {
  for (let at = 0; at < received.length; ) {
    const begin = received.indexOf(END_OF_HEAD, at) + END_OF_HEAD.length;
    at = begin + BODY_BYTES;
    yield received.subarray(begin, at);
  }
}

it('reuses the memory of a response only when nobody can read it any more', async () => {
  const listener = await listenWith((request) => filled(request));
  onTestFinished(() => listener.close());
  const { port } = listener;
  const readers = Array.from({ length: 24 }, async (_, index) => {
    const numbers = [index, index + 100, index + 200].slice(index % 3);
    if (index % 4 === 0) return read({ port, numbers, turns: 1, most_bytes: index * CHUNK_BYTES });
    const received = await read({ port, numbers, turns: index % 5 });
    const are_right = [...bodies(received)].map((body, nth) =>
      body.equals(Buffer.alloc(BODY_BYTES, numbers[nth])),
    );
    return expect(are_right).toEqual(numbers.map(() => true));
  });
  await Promise.all(readers);
});

it('reuses the memory of a response that was sent', async () => {
  const memory = createChunkMemory();
  const lent = new Set<ArrayBufferLike | undefined>();
  const borrow = (bytes: number) => {
    const chunk = memory.borrow(bytes);
    lent.add(chunk?.buffer);
    return chunk;
  };
  const listener = await listenWith((request) => filled(request, { borrow }));
  onTestFinished(() => listener.close());
  await read({ port: listener.port, numbers: [1], turns: 0 });
  expect(lent).toContain(memory.borrow(CHUNK_BYTES)?.buffer);
});

it('leaves the memory of a response alone that is cut off', async () => {
  const memory = createChunkMemory();
  const chunks = Array.from({ length: 64 }, () => memory.borrow(CHUNK_BYTES) ?? new Uint8Array()); // more than sockets hold
  const server = createServer({ ServerResponse: ReusingResponse }, async (_, outgoing) => {
    for (const chunk of chunks) outgoing.write(chunk);
    await new Promise(setImmediate); // by then, the kernel has what it takes
    outgoing.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [connection] = await once(server, 'connection');
  await once(connection, 'close');
  await new Promise(setImmediate);
  socket.destroy();
  await once(server.close(), 'close');
  const borrowed = new Set(chunks.map(({ buffer }) => buffer));
  const reused = chunks.filter(() => borrowed.has(memory.borrow(CHUNK_BYTES)?.buffer ?? new ArrayBuffer()));
  expect(reused).toHaveLength(0);
});
