import type { TypedResponse } from 'hono';
import type { Audit } from '#core/audit/audit.ts';
import { auditActions, auditExcess, exportAudit, listAudit, verifyAudit } from '../../contract/audit.ts';
import type { Runtime } from '../../http/env.ts';
import type { Router } from '../../http/router.ts';
import { type StreamLog, streamedBody } from '../../http/streamed-body.ts';
import { EXPORT_FORMATS, exportStream } from './export.ts';

interface Options {
  readonly audit: Audit;
  readonly runtime: Runtime;
  readonly log: StreamLog;
}

export function mountAudit(router: Router, { audit, runtime, log }: Options): void {
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

  router.on(verifyAudit, async (c) => c.json(await audit.verify(c.var.caller), 200));
}

/** The stream has one of the declared content types. */
function asText(response: Response): Response & TypedResponse<string, 200, 'text'> {
  return response as Response & TypedResponse<string, 200, 'text'>;
}
