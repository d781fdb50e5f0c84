import { z } from '@hono/zod-openapi';
import { UploadEntry, UploadState } from '#core/model/upload.ts';
import { defineRoute } from '../define.ts';
import { json, pathId, refusal, textId } from '../shapes.ts';
import { fileParams, fileRefusals } from './files.ts';

const VERSION = '1.0.0';
const version = z
  .string()
  .max(20)
  .optional()
  .describe(`Must be \`${VERSION}\` (tus 1.0, https://tus.io/protocols/resumable-upload)`);
const uploadParams = z.object({ server_id: pathId, upload_id: textId });
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
  412: refusal('Unsupported version of tus'),
  423: refusal('Another request is writing to this upload'),
  507: refusal('The disk of the host is full'),
};

export const uploadOptions = defineRoute({
  operationId: 'uploads.options',
  method: 'options',
  path: '/api/files/{server_id}/uploads',
  tags: ['uploads'],
  summary: 'Get the supported parts of tus',
  'x-access': 'public',
  request: { params: fileParams },
  responses: {
    204: {
      description: 'See the headers',
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
  summary: 'Create a resumable upload (tus 1.0)',
  description:
    '`Upload-Metadata` contains `filename`, `path` (the directory) and `overwrite` (`true` or ' +
    '`false`; by default false: 409 if the file exists), each value in base64. The bytes go into a ' +
    'part file next to the target on the host, which replaces the target once it is complete. Parts ' +
    'expire after 24 hours without a byte.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: {
    params: fileParams,
    headers: z.object({
      'tus-resumable': version,
      'upload-length': size.optional().describe('Total bytes; required'),
      'upload-metadata': z.string().max(16_384).optional(),
    }),
  },
  responses: {
    201: {
      description: 'Created',
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
  summary: 'List the caller’s unfinished uploads',
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
  summary: 'Get the offset of an upload; HEAD answers with headers only',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: { params: uploadParams, headers: z.object({ 'tus-resumable': version }) },
  responses: {
    200: {
      ...json(UploadState, 'The offset'),
      headers: z.object({
        ...tusHeaders,
        'Upload-Offset': z.string(),
        'Upload-Length': z.string(),
        'Upload-Metadata': z.string().optional().describe('As it was sent'),
      }),
    },
    ...refusals,
    410: refusal('The upload has expired'),
  },
});

export const continueUpload = defineRoute({
  operationId: 'uploads.continue',
  'x-while-full': true,
  method: 'patch',
  path: '/api/files/{server_id}/uploads/{upload_id}',
  tags: ['uploads'],
  summary: 'Continue an upload',
  description:
    'Appends at `Upload-Offset`, which must be the current offset. With the last byte, the file ' +
    'replaces the target. A client that cannot send PATCH sends POST with `X-HTTP-Method-Override: ' +
    'PATCH`; DELETE and HEAD work likewise.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
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
      description: 'Everything sent is on the host',
      headers: z.object({ ...tusHeaders, 'Upload-Offset': z.string() }),
    },
    ...refusals,
    410: refusal('The upload has expired'),
    413: refusal('More bytes than the length of the upload'),
    415: refusal('Not `application/offset+octet-stream`'),
  },
});

export const removeUpload = defineRoute({
  operationId: 'uploads.remove',
  method: 'delete',
  path: '/api/files/{server_id}/uploads/{upload_id}',
  tags: ['uploads'],
  summary: 'Cancel an upload; its part is removed from the host',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: { params: uploadParams, headers: z.object({ 'tus-resumable': version }) },
  responses: { 204: { description: 'Removed', headers: z.object(tusHeaders) }, ...refusals },
});
