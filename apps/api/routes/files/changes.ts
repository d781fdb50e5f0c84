import { toFault } from '#core/errors.ts';
import type { FileChanges } from '#core/files/changes.ts';
import type { Copies } from '#core/files/copies/copies.ts';
import type { Restores } from '#core/files/old-copies/restores.ts';
import type { Saves } from '#core/files/saves.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { CopyEvent } from '#core/model/files/file-change.ts';
import {
  changeMode,
  deleteFile,
  makeDirectory,
  renameFile,
  restoreFile,
  writeFile,
} from '../../contract/files/changes.ts';
import { copyTo } from '../../contract/files/transfers.ts';
import type { Runtime } from '../../http/env.ts';
import { EVENT_STREAM_HEADERS, eventStream, eventsOfWork, wantsEvents } from '../../http/event-stream.ts';
import { goneSignal } from '../../http/gone-signal.ts';
import type { Router } from '../../http/router.ts';
import { type StreamLog, streamedBody } from '../../http/streamed-body.ts';

interface Options {
  readonly file_changes: FileChanges;
  readonly saves: Saves;
  readonly restores: Restores;
  readonly copies: Copies;
  readonly runtime: Runtime;
  readonly after: After;
  readonly log: StreamLog;
}

export function mountFileChanges(router: Router, options: Options): void {
  const { file_changes, saves, restores, runtime } = options;
  router.on(writeFile, async (c) => {
    const conditions = c.req.valid('header');
    const input = { ...c.req.valid('param'), ...c.req.valid('json') };
    const saved = await saves.write(c.var.caller, input, {
      if_match: conditions['if-match'],
      if_none_match: conditions['if-none-match'],
    });
    return c.json(saved, 200, { ETag: saved.etag });
  });
  router.on(restoreFile, async (c) => {
    const input = { ...c.req.valid('param'), ...c.req.valid('json') };
    return c.json(await restores.restore(c.var.caller, input), 200);
  });
  router.on(makeDirectory, async (c) => {
    const input = { ...c.req.valid('param'), ...c.req.valid('json') };
    return c.json(await file_changes.makeDirectory(c.var.caller, input), 200);
  });
  router.on(renameFile, async (c) => {
    const input = { ...c.req.valid('param'), ...c.req.valid('json') };
    return c.json(await file_changes.rename(c.var.caller, input), 200);
  });
  router.on(deleteFile, async (c) => {
    const place = { ...c.req.valid('param'), ...c.req.valid('query') };
    return c.json(await file_changes.remove(c.var.caller, place, goneSignal(c, runtime)), 200);
  });
  router.on(changeMode, async (c) => {
    const input = { ...c.req.valid('param'), ...c.req.valid('json') };
    return c.json(await file_changes.changeMode(c.var.caller, input, goneSignal(c, runtime)), 200);
  });
  mountCopies(router, options);
}

function mountCopies(router: Router, { copies, runtime, after, log }: Options): void {
  router.on(copyTo, async (c) => {
    const { caller } = c.var;
    const input = { ...c.req.valid('param'), ...c.req.valid('json') };
    if (!wantsEvents(c.req.header('accept'))) {
      return c.json(await copies.copy(caller, input, { signal: goneSignal(c, runtime) }), 200);
    }
    const events = eventsOfWork(async (signal, emitEvent) => {
      const emit = (data: CopyEvent) => emitEvent({ name: 'copy', data });
      try {
        emit({ type: 'result', result: await copies.copy(caller, input, { signal, watch: emit }) });
      } catch (error) {
        const { detail, code } = toFault(error);
        emit({ type: 'failed', detail, code });
      }
    });
    const body = streamedBody(c, eventStream(events, after), { runtime, log });
    return c.body(body, 200, EVENT_STREAM_HEADERS);
  });
}
