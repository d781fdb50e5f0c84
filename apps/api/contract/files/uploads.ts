import { z } from '@hono/zod-openapi';
import { UploadEntry, UploadState } from '#core/model/upload.ts';
import { defineRoute } from '../define.ts';
import { json, pathId, refusal } from '../shapes.ts';
import { fileParams, fileRefusals } from './files.ts';

const VERSION = '1.0.0';
const version = z
  .string()
  .max(20)
  .optional()
  .describe(`Must be \`${VERSION}\` (tus 1.0, https://tus.io/protocols/resumable-upload)`);
const uploadParams = z.object({ server_id: pathId, upload_id: z.string().regex(/^[\w-]{1,64}$/) });
const size = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .refine(Number.isSafeInteger)
  .meta({ type: 'integer' });

const tusHeaders = {
  'Tus-Resumable': z.string().describe(VERSION),
  'Upload-Expires': z.string().optional().describe('When the part is removed (RFC 9110 date)'),
};

const refusals = {
  ...fileRefusals,
  412: refusal('Another version of tus'),
  423: refusal('The upload is being written to already'),
  507: refusal('The disk of the host is full'),
};

export const uploadOptions = defineRoute({
  operationId: 'uploads.options',
  method: 'options',
  path: '/api/files/{server_id}/uploads',
  tags: ['uploads'],
  summary: 'What this gateway can do of tus',
  'x-access': 'public',
  request: { params: fileParams },
  responses: {
    204: {
      description: 'Told in the headers',
      headers: z.object({
        'Tus-Resumable': z.string(),
        'Tus-Version': z.string(),
        'Tus-Extension': z.string().describe('`creation,termination,expiration`'),
        'Tus-Max-Size': z.string().optional().describe('Bytes; absent without a limit'),
      }),
    },
  },
});

export const createUpload = defineRoute({
  operationId: 'uploads.create',
  method: 'post',
  path: '/api/files/{server_id}/uploads',
  tags: ['uploads'],
  summary: 'Begin a resumable upload (tus 1.0)',
  description:
    '`Upload-Metadata` carries `filename`, `path` (the directory) and `overwrite` (`true` or `false`; by default false: 409 when there is something), ' +
    'each value in base64. The bytes go into a part file beside the target on the host, which takes its place once it is whole; ' +
    'parts expire after 24 hours without a byte.',
  'x-access': 'user',
  'x-scope': 'files',
  request: {
    params: fileParams,
    headers: z.object({
      'tus-resumable': version,
      'upload-length': size.optional().describe('Bytes in all; required'),
      'upload-metadata': z.string().max(16_384).optional(),
    }),
  },
  responses: {
    201: {
      description: 'Begun',
      headers: z.object({ ...tusHeaders, Location: z.string().describe('Relative: `uploads/<id>`') }),
    },
    ...refusals,
    413: refusal('Larger than `SERVICE_MAX_UPLOAD_SIZE`'),
  },
});

export const listUploads = defineRoute({
  operationId: 'uploads.list',
  method: 'get',
  path: '/api/files/{server_id}/uploads',
  tags: ['uploads'],
  summary: 'Own uploads that can be resumed',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params: fileParams },
  responses: { 200: json(z.array(UploadEntry), 'Oldest first'), ...fileRefusals },
});

export const showUpload = defineRoute({
  operationId: 'uploads.show',
  method: 'get',
  path: '/api/files/{server_id}/uploads/{upload_id}',
  tags: ['uploads'],
  summary: 'Where an upload stands; with HEAD in its headers alone',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params: uploadParams, headers: z.object({ 'tus-resumable': version }) },
  responses: {
    200: {
      ...json(UploadState, 'Where it stands'),
      headers: z.object({ ...tusHeaders, 'Upload-Offset': z.string(), 'Upload-Length': z.string() }),
    },
    ...refusals,
    410: refusal('It has expired'),
  },
});

export const continueUpload = defineRoute({
  operationId: 'uploads.continue',
  method: 'patch',
  path: '/api/files/{server_id}/uploads/{upload_id}',
  tags: ['uploads'],
  summary: 'Send more of it',
  description:
    'From `Upload-Offset`, which must be where it stands. With its last byte the file takes its place.',
  'x-access': 'user',
  'x-scope': 'files',
  request: {
    params: uploadParams,
    headers: z.object({ 'tus-resumable': version, 'upload-offset': size.optional().describe('Required') }),
    body: {
      required: true,
      content: { 'application/offset+octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
    },
  },
  responses: {
    204: {
      description: 'All that was sent is on the host',
      headers: z.object({ ...tusHeaders, 'Upload-Offset': z.string() }),
    },
    ...refusals,
    410: refusal('It has expired'),
    413: refusal('More than its length'),
    415: refusal('Not `application/offset+octet-stream`'),
  },
});

export const removeUpload = defineRoute({
  operationId: 'uploads.remove',
  method: 'delete',
  path: '/api/files/{server_id}/uploads/{upload_id}',
  tags: ['uploads'],
  summary: 'Give it up; its part is removed from the host',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params: uploadParams, headers: z.object({ 'tus-resumable': version }) },
  responses: { 204: { description: 'It is gone', headers: z.object(tusHeaders) }, ...refusals },
});
