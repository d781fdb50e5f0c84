import type { ResumableUploads } from '#core/files/uploads/resumable.ts';
import { RemotePath } from '#core/model/files/file-change.ts';
import {
  continueUpload,
  createUpload,
  headUpload,
  listUploads,
  removeUpload,
  showUpload,
  uploadOptions,
} from '../../contract/files/uploads.ts';
import type { AppContext, Runtime } from '../../http/env.ts';
import type { Router } from '../../http/router.ts';
import {
  assertContentType,
  assertVersion,
  capabilities,
  expiry,
  metadataOf,
  refuseMetadata,
  required,
  setVersion,
  textOf,
} from './tus.ts';

interface Options {
  readonly resumable_uploads: ResumableUploads;
  readonly runtime: Runtime;
}

/** tus 1.0.0: core, creation, termination, expiration. */
export function mountUploads(router: Router, { resumable_uploads, runtime }: Options): void {
  router.hono.use('/api/files/:server_id/uploads/*', setVersion);

  router.on(uploadOptions, (c) => c.body(null, 204, capabilities(resumable_uploads.max_bytes)));

  router.on(createUpload, async (c) => {
    assertVersion(c);
    const headers = c.req.valid('header');
    const length = required(headers['upload-length'], 'Upload-Length');
    const { 'upload-metadata': metadata = '' } = headers;
    const place = { ...c.req.valid('param'), ...wantedPlace(metadata) };
    const upload = await resumable_uploads.create(c.var.caller, { ...place, length, metadata });
    return c.body(null, 201, { Location: `uploads/${upload.id}`, 'Upload-Expires': expiry(upload) });
  });

  router.on(listUploads, async (c) =>
    c.json(await resumable_uploads.list(c.var.caller, c.req.valid('param').server_id), 200),
  );

  router.on(showUpload, async (c) => {
    assertVersion(c);
    const verb = c.req.method === 'HEAD' ? resumable_uploads.resume : resumable_uploads.show;
    const upload = await verb(c.var.caller, c.req.valid('param'));
    return c.json(upload, 200, {
      'Upload-Offset': String(upload.offset),
      'Upload-Length': String(upload.length),
      'Upload-Expires': expiry(upload),
      ...(upload.metadata ? { 'Upload-Metadata': upload.metadata } : {}),
      'Cache-Control': 'no-store',
    });
  });

  router.describe(headUpload);
  router.on(continueUpload, async (c) => {
    assertVersion(c);
    assertContentType(c);
    const upload = await resumable_uploads.append(c.var.caller, c.req.valid('param'), {
      offset: required(c.req.valid('header')['upload-offset'], 'Upload-Offset'),
      content: runtime.body(c),
      length: lengthOf(c),
    });
    return c.body(null, 204, { 'Upload-Offset': String(upload.offset), 'Upload-Expires': expiry(upload) });
  });

  router.on(removeUpload, async (c) => {
    assertVersion(c);
    await resumable_uploads.remove(c.var.caller, c.req.valid('param'));
    return c.body(null, 204);
  });
}

/** Ignores other metadata that clients send, such as `relativePath` and `filetype`. */
function wantedPlace(header: string) {
  const metadata = metadataOf(header);
  const { success, data: path } = RemotePath.safeParse(textOf(metadata, 'path'));
  if (!success) return refuseMetadata('path, an absolute remote path');
  const filename = textOf(metadata, 'filename') ?? refuseMetadata('filename');
  const overwrite = textOf(metadata, 'overwrite') ?? 'false';
  if (overwrite !== 'true' && overwrite !== 'false') return refuseMetadata('overwrite, true or false');
  return { path, filename, overwrite: overwrite === 'true' };
}

function lengthOf(c: AppContext): number | undefined {
  const length = c.req.header('content-length');
  return length === undefined ? undefined : Number(length);
}
