import { Fault } from '#core/errors.ts';
import { type Representation, selectPart } from './download.ts';
import type { AppContext } from './env.ts';

interface SentFile extends Representation {
  /** Both ends are inclusive. */
  stream(range: { start: number; end: number }): ReadableStream<Uint8Array>;
  close(): Promise<void>;
}

/** Calls exactly one of the file's `stream` and `close`, whatever the outcome. */
export async function sendFile(c: AppContext, file: SentFile): Promise<Response> {
  const part = selectPart(file, {
    range: c.req.header('range'),
    if_range: c.req.header('if-range'),
    if_match: c.req.header('if-match'),
    if_none_match: c.req.header('if-none-match'),
    if_modified_since: c.req.header('if-modified-since'),
    if_unmodified_since: c.req.header('if-unmodified-since'),
  });
  if (part.kind === 'changed') {
    await file.close();
    throw new Fault('stale_etag', 'The file is not the one that the request names');
  }
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

async function answerWithout(c: AppContext, file: SentFile, status: 200 | 206 | 304): Promise<Response> {
  await file.close();
  return c.body(null, status);
}
