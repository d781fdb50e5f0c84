import type { TypedResponse } from 'hono';
import type { Audit } from '#core/audit/audit.ts';
import { toFault } from '#core/errors.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { AuditVerificationEvent } from '#core/model/audit/verification.ts';
import {
  auditActions,
  auditExcess,
  auditVerified,
  exportAudit,
  listAudit,
  verifyAudit,
} from '../../contract/audit.ts';
import type { Runtime } from '../../http/env.ts';
import { EVENT_STREAM_HEADERS, eventStream, eventsOfWork, wantsEvents } from '../../http/event-stream.ts';
import { goneSignal } from '../../http/gone-signal.ts';
import type { Router } from '../../http/router.ts';
import { type StreamLog, streamedBody } from '../../http/streamed-body.ts';
import { EXPORT_FORMATS, exportStream } from './export.ts';

interface Options {
  readonly audit: Audit;
  readonly runtime: Runtime;
  readonly after: After;
  readonly log: StreamLog;
}

export function mountAudit(router: Router, options: Options): void {
  const { audit, runtime, log } = options;
  router.on(listAudit, async (c) => {
    const { limit, offset, ...filter } = c.req.valid('query');
    const { entries, total, exact } = await audit.page(c.var.caller, filter, { limit, offset });
    c.header('X-Total-Count', String(Math.max(total, offset + entries.length)));
    if (!exact) c.header('X-Total-Count-Exact', 'false');
    return c.json(entries, 200);
  });

  router.on(auditActions, (c) => c.json(audit.actions(c.var.caller), 200));

  router.on(exportAudit, async (c) => {
    const { format, ...filter } = c.req.valid('query');
    const pages = await audit.export(c.var.caller, filter, format);
    c.header('Content-Type', EXPORT_FORMATS[format].content_type);
    c.header('Content-Disposition', `attachment; filename="audit.${format}"`);
    return asText(c.body(streamedBody(c, exportStream(pages, format), { runtime, log }), 200));
  });

  router.on(auditExcess, async (c) => c.json(await audit.excess(c.var.caller, c.req.valid('query')), 200));

  router.on(auditVerified, async (c) => c.json(await audit.verified(c.var.caller), 200));
  mountVerification(router, options);
}

function mountVerification(router: Router, { audit, runtime, after, log }: Options): void {
  router.on(verifyAudit, async (c) => {
    const { caller } = c.var;
    const { from } = c.req.valid('query');
    if (!wantsEvents(c.req.header('accept')))
      return c.json(await audit.verify(caller, { from, signal: goneSignal(c, runtime) }), 200);
    const events = eventsOfWork(async (signal, emitEvent) => {
      const emit = (data: AuditVerificationEvent) => emitEvent({ name: 'verification', data });
      try {
        const watch = (progress: { checked: number; total: number }) =>
          emit({ type: 'progress', ...progress });
        emit({ type: 'result', result: await audit.verify(caller, { from, signal, watch }) });
      } catch (error) {
        const { detail, code } = toFault(error);
        emit({ type: 'failed', detail, code });
      }
    });
    return c.body(streamedBody(c, eventStream(events, after), { runtime, log }), 200, EVENT_STREAM_HEADERS);
  });
}

/** The stream has one of the declared content types. */
function asText(response: Response): Response & TypedResponse<string, 200, 'text'> {
  return response as Response & TypedResponse<string, 200, 'text'>;
}
