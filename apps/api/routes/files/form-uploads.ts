import type { Uploads } from '#core/files/uploads/uploads.ts';
import { uploadFiles } from '../../contract/files/transfers.ts';
import type { Runtime } from '../../http/env.ts';
import { goneSignal } from '../../http/gone-signal.ts';
import type { Router } from '../../http/router.ts';

interface Options {
  readonly uploads: Uploads;
  readonly runtime: Runtime;
}

export function mountFileUploads(router: Router, { uploads, runtime }: Options): void {
  router.on(uploadFiles, async (c) => {
    const { path, overwrite } = c.req.valid('query');
    const request = {
      ...c.req.valid('param'),
      path,
      overwrite: ['1', 'true'].includes(overwrite),
      content_length: Number(c.req.header('content-length') ?? 0),
      signal: goneSignal(c, runtime),
    };
    return c.json(await uploads.upload(c.var.caller, request, runtime.multipart(c)), 200);
  });
}
