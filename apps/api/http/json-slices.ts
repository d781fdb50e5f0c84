import type { Listing } from '#core/model/directory-entry.ts';

const SLICE = 500; // entries written in one go: about 2 ms

/** A large listing as JSON text in slices, so that other requests get their turn in between. */
export function listingSlices({ path, entries }: Listing): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`{"path":${JSON.stringify(path)},"entries":[`));
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
