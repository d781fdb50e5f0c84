import { toFault } from '#core/errors.ts';
import type { Archives } from '#core/files/archives/archives.ts';
import type { Extractions } from '#core/files/archives/extractions.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { ExtractEvent, ExtractInput } from '#core/model/files/archive.ts';
import { extractArchive, headMember, listArchive, readMember } from '../../contract/files/archives.ts';
import { downloadHeaders } from '../../http/download.ts';
import type { Runtime } from '../../http/env.ts';
import {
  EVENT_STREAM_HEADERS,
  type EventSource,
  eventStream,
  eventsOfWork,
} from '../../http/event-stream.ts';
import { answerSignals, goneSignal } from '../../http/gone-signal.ts';
import type { Router } from '../../http/router.ts';
import { sendEntries } from '../../http/send-entries.ts';
import { type StreamLog, streamedBody } from '../../http/streamed-body.ts';

interface Options {
  readonly archives: Archives;
  readonly extractions: Extractions;
  readonly runtime: Runtime;
  readonly after: After;
  readonly log: StreamLog;
}

export function mountArchives(router: Router, options: Options): void {
  const { archives, extractions, runtime, after, log } = options;
  router.on(listArchive, async (c) => {
    const place = { ...c.req.valid('param'), ...c.req.valid('query') };
    return sendEntries(c, await archives.list(c.var.caller, place, answerSignals(c, runtime)));
  });

  router.describe(headMember);
  router.on(readMember, async (c) => {
    const { path, member, encoding, inline = '' } = c.req.valid('query');
    const place = { ...c.req.valid('param'), path, member, encoding };
    const is_head = c.req.method === 'HEAD';
    const signal = goneSignal(c, runtime);
    const file = await archives.member(c.var.caller, place, { is_head, signal });
    const headers = downloadHeaders(file, ['1', 'true'].includes(inline));
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    c.header('Accept-Ranges', 'none');
    c.header('Content-Length', String(file.size));
    if (!is_head) return c.body(streamedBody(c, file.stream(), { runtime, log }), 200);
    await file.close();
    return c.body(null, 200);
  });

  router.on(extractArchive, async (c) => {
    const input = { ...c.req.valid('param'), ...c.req.valid('json') };
    const events = await begun(extractions, { caller: c.var.caller, input, gone: goneSignal(c, runtime) });
    return c.body(streamedBody(c, eventStream(events, after), { runtime, log }), 200, EVENT_STREAM_HEADERS);
  });
}

interface Wanted {
  readonly caller: Caller;
  readonly input: ExtractInput & { readonly server_id: number };
  readonly gone: AbortSignal;
}

/** Resolves when the first file may be written; what fails before that still has a status. */
function begun(extractions: Extractions, { caller, input, gone }: Wanted): Promise<EventSource> {
  return new Promise((resolve, reject) => {
    const events = eventsOfWork(async (stopped, emitEvent) => {
      const emit = (data: ExtractEvent) => {
        emitEvent({ name: data.type, data });
        resolve(events);
      };
      const signal = AbortSignal.any([stopped, gone]);
      try {
        emit(await extractions.extract(caller, input, { signal, watch: emit }));
      } catch (error) {
        reject(error); // no effect after the first event
        const { code, detail } = toFault(error);
        emit({ type: 'error', code, detail, ...NOTHING });
      }
    });
  });
}

const NOTHING = { created: 0, directories: 0, bytes: 0, skipped_count: 0, missing: [], missing_count: 0 };
