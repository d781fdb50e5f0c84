import type { TypedResponse } from 'hono';
import { Fault } from '#core/errors.ts';
import type { Listing } from '#core/model/directory-entry.ts';
import type { FileConnects } from '#core/services/file-connects.ts';
import type { Download, Files } from '#core/services/files.ts';
import type { FilePlace, Tickets } from '#core/services/tickets.ts';
import { connectFiles, downloadFile, fileTicket, listFiles, readFile, statFile } from '../contract/files.ts';
import { downloadHeaders, selectPart } from '../http/download.ts';
import type { AppContext, Runtime } from '../http/env.ts';
import { listingSlices } from '../http/json-slices.ts';
import type { Router } from '../http/router.ts';
import { type StreamLog, streamedBody } from '../http/streamed-body.ts';

const WHOLE_ENTRIES = 2000; // a larger listing is written in slices

interface Options {
  readonly files: Files;
  readonly file_connects: FileConnects;
  readonly tickets: Tickets;
  readonly runtime: Runtime;
  readonly log: StreamLog;
}

export function mountFiles(router: Router, options: Options): void {
  const { files, file_connects, tickets, runtime, log } = options;
  router.on(listFiles, async (c) => {
    const listing = await files.list(c.var.caller, placeOf(c.req.valid('param'), c.req.valid('query')));
    if (listing.entries.length <= WHOLE_ENTRIES) return c.json(listing, 200);
    return asListing(c.body(listingSlices(listing), 200, { 'Content-Type': 'application/json' }));
  });
  router.on(statFile, async (c) =>
    c.json(await files.stat(c.var.caller, placeOf(c.req.valid('param'), c.req.valid('query'))), 200),
  );
  router.on(readFile, async (c) =>
    c.json(await files.read(c.var.caller, placeOf(c.req.valid('param'), c.req.valid('query'))), 200),
  );

  router.on(downloadFile, async (c) => {
    const file = await files.download(c.var.caller, placeOf(c.req.valid('param'), c.req.valid('query')));
    const inline = ['1', 'true'].includes(c.req.valid('query').inline ?? '');
    for (const [name, value] of Object.entries(downloadHeaders(file, inline))) c.header(name, value);
    const stream = (range: Parameters<Download['stream']>[0]) =>
      streamedBody(c, file.stream(range), { runtime, log });
    return send(c, { ...file, stream });
  });

  router.on(connectFiles, async (c) => {
    await file_connects.connect(c.var.caller, { ...c.req.valid('param'), ...c.req.valid('json') });
    return c.json({ connected: true as const }, 200);
  });

  router.on(fileTicket, async (c) => {
    const place = { ...c.req.valid('param'), ...c.req.valid('json') };
    await files.assertMayAsk(c.var.caller, place);
    return c.json(await tickets.forFile(c.var.caller, place), 200);
  });
}

/** The slices together are the JSON of a Listing. */
function asListing(response: Response): Response & TypedResponse<Listing, 200, 'json'> {
  return response as Response & TypedResponse<Listing, 200, 'json'>;
}

function placeOf({ server_id }: { server_id: number }, { path }: { path: string }): FilePlace {
  return { server_id, path };
}

/** Exactly one of the file's `stream` and `close` on every way out. */
async function send(c: AppContext, file: Download): Promise<Response> {
  const part = selectPart(file, {
    range: c.req.header('range'),
    if_range: c.req.header('if-range'),
    if_none_match: c.req.header('if-none-match'),
  });
  if (part.kind === 'not_modified') return answerWithout(c, file, 304);
  if (part.kind === 'unsatisfiable') {
    await file.close();
    c.header('Content-Range', `bytes */${file.size}`);
    throw new Fault('range_not_satisfiable');
  }
  const partial = part.kind === 'part';
  const range = partial ? part : { start: 0, end: file.size - 1 };
  c.header('Content-Length', String(range.end - range.start + 1));
  if (partial) c.header('Content-Range', `bytes ${range.start}-${range.end}/${file.size}`);
  const status = partial ? 206 : 200;
  if (c.req.method === 'HEAD') return answerWithout(c, file, status);
  return c.body(file.stream(range), status);
}

async function answerWithout(c: AppContext, file: Download, status: 200 | 206 | 304): Promise<Response> {
  await file.close();
  return c.body(null, status);
}
