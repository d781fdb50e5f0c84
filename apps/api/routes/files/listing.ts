import type { TypedResponse } from 'hono';
import type { FileConnects } from '#core/files/connects.ts';
import type { Files } from '#core/files/listing.ts';
import type { Listing } from '#core/model/directory-entry.ts';
import {
  connectFiles,
  homeOfFiles,
  listFiles,
  readFile,
  searchFiles,
  statFile,
} from '../../contract/files/files.ts';
import type { Runtime } from '../../http/env.ts';
import { goneSignal } from '../../http/gone-signal.ts';
import type { Router } from '../../http/router.ts';

const WHOLE_ENTRIES = 2000; // longer listings are sent in slices

interface Options {
  readonly files: Files;
  readonly file_connects: FileConnects;
  readonly runtime: Runtime;
}

export function mountFiles(router: Router, { files, file_connects, runtime }: Options): void {
  router.on(homeOfFiles, async (c) =>
    c.json(await files.home(c.var.caller, c.req.valid('param').server_id), 200),
  );
  router.on(listFiles, async (c) => {
    const place = { ...c.req.valid('param'), ...c.req.valid('query') };
    const listing = await files.list(c.var.caller, place, goneSignal(c, runtime));
    if (listing.entries.length <= WHOLE_ENTRIES) return c.json(listing, 200);
    return asListing(c.body(listingSlices(listing), 200, { 'Content-Type': 'application/json' }));
  });
  router.on(statFile, async (c) =>
    c.json(await files.stat(c.var.caller, { ...c.req.valid('param'), ...c.req.valid('query') }), 200),
  );
  router.on(readFile, async (c) =>
    c.json(await files.read(c.var.caller, { ...c.req.valid('param'), ...c.req.valid('query') }), 200),
  );
  router.on(searchFiles, async (c) => {
    const place = { ...c.req.valid('param'), ...c.req.valid('query') };
    return c.json(await files.search(c.var.caller, place, goneSignal(c, runtime)), 200);
  });
  router.on(connectFiles, async (c) => {
    await file_connects.connect(c.var.caller, { ...c.req.valid('param'), ...c.req.valid('json') });
    return c.json({ connected: true as const }, 200);
  });
}

/** The slices form the JSON of a Listing. */
function asListing(response: Response): Response & TypedResponse<Listing, 200, 'json'> {
  return response as Response & TypedResponse<Listing, 200, 'json'>;
}

const SLICE = 500; // entries: about 2 ms to serialize

/** Serializes a long listing in slices, so that the event loop can serve other requests in between. */
function listingSlices({ entries, ...rest }: Listing): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const head = JSON.stringify(rest).slice(0, -1); // without the closing brace
        controller.enqueue(encoder.encode(`${head},"entries":[`));
      },
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve));
        const slice = entries.slice(next, next + SLICE).map((entry) => JSON.stringify(entry));
        const separator = next > 0 && slice.length > 0 ? ',' : '';
        next += SLICE;
        const end = next >= entries.length ? ']}' : '';
        controller.enqueue(encoder.encode(separator + slice.join(',') + end));
        if (end) controller.close();
      },
    },
    { highWaterMark: 1 },
  );
}
