import type { TypedResponse } from 'hono';
import { toFault } from '#core/errors.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { RecordingSearchEvent } from '#core/model/recording.ts';
import type { CastUse, Elsewhere as Place, Recordings } from '#core/recordings/recordings.ts';
import type { RecordingSearches } from '#core/recordings/search.ts';
import {
  deleteRecording,
  getRecording,
  headCast,
  headRecording,
  listRecordings,
  playRecording,
  recordingCast,
  recordingDownload,
  recordingText,
  recordingTicket,
  searchRecordings,
  verifyRecording,
} from '../../contract/recordings.ts';
import { disposition } from '../../http/download.ts';
import type { Elsewhere } from '../../http/elsewhere.ts';
import type { AppContext, Runtime } from '../../http/env.ts';
import { EVENT_STREAM_HEADERS, eventStream, eventsOfWork } from '../../http/event-stream.ts';
import type { Router } from '../../http/router.ts';
import { sendFile } from '../../http/send-file.ts';
import { type StreamLog, streamedBody } from '../../http/streamed-body.ts';
import { PLAYER_HEADERS, playerPage } from './player-page.ts';

interface Options {
  readonly recordings: Recordings;
  readonly recording_searches: RecordingSearches;
  readonly elsewhere: Elsewhere<Place>;
  readonly runtime: Runtime;
  readonly after: After;
  readonly log: StreamLog;
}

export function mountRecordings(router: Router, options: Options): void {
  const { recordings, recording_searches, elsewhere, runtime, after, log } = options;

  router.on(listRecordings, async (c) => {
    const { limit, offset, ...filter } = c.req.valid('query');
    const { recordings: page, total } = await recordings.list(c.var.caller, filter, { limit, offset });
    c.header('X-Total-Count', String(total));
    return c.json(page, 200);
  });

  router.on(searchRecordings, async (c) => {
    const search = await recording_searches.begin(c.var.caller, c.req.valid('json'));
    const found = eventsOfWork(async (signal, emitEvent) => {
      const emit = (data: RecordingSearchEvent) => emitEvent({ name: data.type, data });
      await search(signal, emit).catch((error: unknown) => {
        const { detail, code } = toFault(error);
        emit({ type: 'failed', detail, code });
      });
    });
    const body = streamedBody(c, eventStream(found, after), { runtime, log });
    return c.body(body, 200, EVENT_STREAM_HEADERS);
  });

  router.on(getRecording, async (c) =>
    c.json(await recordings.get(c.var.caller, c.req.valid('param').id), 200),
  );

  router.on(deleteRecording, async (c) => {
    const { id } = c.req.valid('param');
    const home = await recordings.elsewhere(c.var.caller, id, 'delete_recording');
    if (home) return elsewhere.file(c, home);
    await recordings.remove(c.var.caller, id);
    return c.body(null, 204);
  });

  router.on(recordingTicket, async (c) =>
    c.json(await recordings.ticket(c.var.caller, c.req.valid('param').id), 200),
  );

  router.on(verifyRecording, async (c) => {
    const { id } = c.req.valid('param');
    const home = await recordings.elsewhere(c.var.caller, id);
    if (home) return elsewhere.file(c, home, { is_long: true });
    return c.json(await recordings.verify(c.var.caller, id), 200);
  });

  async function sendCast(c: AppContext, id: number, use: CastUse): Promise<Response> {
    const home = await recordings.elsewhere(c.var.caller, id);
    if (home) return elsewhere.file(c, home);
    const file = await recordings.cast(c.var.caller, id, use);
    setHeaders(c, {
      ...FILE_HEADERS,
      'Content-Type': 'application/x-asciicast',
      'Content-Disposition': disposition(file.name, use === 'cast'),
      'Accept-Ranges': 'bytes',
      ETag: file.etag,
    });
    return sendFile(c, {
      ...file,
      stream: ({ start, end }) => streamedBody(c, file.stream({ start, end: end + 1 }), { runtime, log }),
      close: async () => undefined,
    });
  }
  router.on(recordingCast, (c) => sendCast(c, c.req.valid('param').id, 'cast'));
  router.on(recordingDownload, (c) => sendCast(c, c.req.valid('param').id, 'download'));
  router.describe(headCast);
  router.describe(headRecording);

  async function sendText(c: AppContext, id: number) {
    const home = await recordings.elsewhere(c.var.caller, id);
    if (home) return elsewhere.file(c, home);
    const { name, stream } = await recordings.text(c.var.caller, id);
    const type = 'text/plain; charset=utf-8';
    setHeaders(c, { ...FILE_HEADERS, 'Content-Type': type, 'Content-Disposition': disposition(name, true) });
    if (c.req.method !== 'HEAD') return c.body(streamedBody(c, stream, { runtime, log }), 200);
    await stream.cancel();
    return c.body(null, 200);
  }
  router.on(recordingText, async (c) => asText(await sendText(c, c.req.valid('param').id)));

  router.on(playRecording, async (c) => {
    const { id } = c.req.valid('param');
    const home = await recordings.elsewhere(c.var.caller, id);
    if (home) return elsewhere.file(c, home);
    const replay = await recordings.replay(c.var.caller, id, c.req.query('ticket'));
    setHeaders(c, PLAYER_HEADERS);
    return c.body(playerPage(replay), 200);
  });
}

/** The stream has the declared content type. */
function asText(response: Response): Response & TypedResponse<string, 200, 'text'> {
  return response as Response & TypedResponse<string, 200, 'text'>;
}

/** Terminal output may contain anything: browsers must not run it, and caches must not keep it. */
const FILE_HEADERS = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'private, no-store',
};

function setHeaders(c: AppContext, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}
