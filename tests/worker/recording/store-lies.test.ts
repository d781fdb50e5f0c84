import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lie, type LyingStore, rangeIn, startLyingStore } from '../../support/s3/lying-store.ts';
import { failureOf } from '../setup.ts';
import { openFolder } from './cast-folder.ts';

const BLOCK = 1024 * 1024; // of one request
const FOREVER = new AbortController().signal;
const PATH = 'a.cast';
const REFUSED = {
  code: 'recording_store_refused',
  detail: 'The recordings store sent something else than it announced',
};

let store: LyingStore;
beforeAll(async () => {
  store = await startLyingStore();
});
afterAll(() => store.stop());

function folder() {
  return openFolder({ store: { objects: store.objects, spool_max_bytes: 0 } }).casts;
}

/** Sends these bytes as a part of an object of `size` bytes. */
function part(response: ServerResponse, first: number, bytes: Buffer, size: number | string): void {
  const range = `bytes ${first}-${first + bytes.length - 1}/${size}`;
  response.writeHead(206, { 'content-range': range }).end(bytes);
}

const WHOLE_BLOCK = Buffer.alloc(BLOCK, `[1, "o", "${'x'.repeat(5000)}"]\n`);

/** Serves events without end: every answer is a whole block of an object of `size` bytes. */
const endless =
  (size: number | string): Lie =>
  (request, response) =>
    part(response, rangeIn(request).first, WHOLE_BLOCK, size);

const LIES: Readonly<Record<string, Lie>> = {
  'fewer bytes than it announced, in one length': (_request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-99/100', 'content-length': 100 });
    response.write('x', () => response.destroy());
  },
  'fewer bytes than it announced, in chunks': (_request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-99/100' }).end('x');
  },
  'a body that never ends': (_request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-99/100' });
    pour(response);
  },
  'a range that was not asked for': (_request, response) => part(response, 50, Buffer.alloc(50), 100),
  'a part of the range': (_request, response) => part(response, 0, Buffer.alloc(50), 100),
  'a size beyond that of any object': endless('9'.repeat(18)),
  'another size with each answer': (request, response) => {
    const { first } = rangeIn(request);
    part(response, first, WHOLE_BLOCK, 4 * BLOCK + 2 * first);
  },
  'the end of the object before its end': (request, response) => {
    if (rangeIn(request).first === 0) part(response, 0, WHOLE_BLOCK, 2 * BLOCK);
    else response.writeHead(416).end();
  },
};

/** Writes for as long as the other side reads. */
function pour(response: ServerResponse): void {
  const more = Buffer.alloc(64 * 1024);
  const next = (error?: Error | null) => {
    if (!error && !response.destroyed) response.write(more, next);
  };
  next();
}

describe('a store that sends', () => {
  it.each(Object.entries(LIES))('%s is refused by every reader', async (what, lie) => {
    store.tell(lie);
    const casts = folder();
    const refused = what.includes('in one length') ? { code: 'recording_store_unreachable' } : REFUSED;
    expect(await failureOf(text(casts.read(PATH)))).toMatchObject(refused);
    expect(await failureOf(text(casts.text(PATH)))).toMatchObject(refused);
    expect(await failureOf(casts.search(PATH, 'nowhere', FOREVER))).toMatchObject(refused);
    expect(await failureOf(casts.digest(PATH))).toMatchObject(refused);
  });

  it.each([100, 2 * BLOCK])('a size of %i in one answer and another in the next is refused', async (size) => {
    store.tell(endless(8 * BLOCK));
    const reading = text(folder().read(PATH, { start: 0, end: size }, size));
    expect(await failureOf(reading)).toMatchObject(REFUSED);
  });

  it('no size at all is refused', async () => {
    store.tell((_request, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' }).end();
    });
    expect(await failureOf(folder().size(PATH))).toMatchObject(REFUSED);
  });

  it('more than was recorded is read as far as verification needs', async () => {
    const asked: number[] = [];
    const counted = (request: IncomingMessage, response: ServerResponse) => {
      asked.push(rangeIn(request).first);
      endless(4 * 1024 ** 4)(request, response);
    };
    store.tell(counted);
    const end = await folder().digest(PATH, 3 * BLOCK);
    expect(end.size_bytes).toBe(3 * BLOCK + 1);
    expect(asked.length).toBeLessThan(8);
  });
});
