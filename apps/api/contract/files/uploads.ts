import { z } from '@hono/zod-openapi';
import { UploadEntry, UploadState } from '#core/model/files/upload.ts';
import { defineRoute, headOf } from '../define.ts';
import { json, pathId, textId } from '../shapes.ts';
import { fileParams } from './files.ts';
import { FILE_REFUSALS, WRITE_REFUSALS } from './refusals.ts';

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

const UPLOAD_REFUSALS = [...WRITE_REFUSALS, 'tus_version', 'upload_busy'] as const;

export const uploadOptions = defineRoute({
  operationId: 'uploads.options',
  method: 'options',
  path: '/api/files/{server_id}/uploads',
  tags: ['uploads'],
  summary: 'Get the supported parts of tus',
  description:
    'The headers name the version and extensions of tus, and the size limit. Needs no token, as tus wants.',
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
  'x-turn': 'files',
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
  refuses: [...UPLOAD_REFUSALS, 'upload_too_large', 'too_many_uploads', 'file_busy'],
  responses: {
    201: {
      description: 'Created',
      headers: z.object({ ...tusHeaders, Location: z.string().describe('Relative: `uploads/<id>`') }),
    },
  },
});

export const listUploads = defineRoute({
  operationId: 'uploads.list',
  'x-turn': 'files',
  method: 'get',
  path: '/api/files/{server_id}/uploads',
  tags: ['uploads'],
  summary: 'List the caller’s unfinished uploads',
  description: 'Of this server only. Use them to resume an upload after the page or the program was closed.',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params: fileParams },
  refuses: FILE_REFUSALS,
  responses: { 200: json(z.array(UploadEntry), 'Oldest first') },
});

export const showUpload = defineRoute({
  operationId: 'uploads.show',
  'x-turn': 'files',
  method: 'get',
  path: '/api/files/{server_id}/uploads/{upload_id}',
  tags: ['uploads'],
  summary: 'Get the offset of an upload; HEAD answers with headers only',
  description:
    'The offset is the size of the part file on the host, so it survives a restart of the gateway.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: { params: uploadParams, headers: z.object({ 'tus-resumable': version }) },
  refuses: [...UPLOAD_REFUSALS, 'upload_not_found', 'upload_expired'],
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
  },
});

export const headUpload = headOf(showUpload, 'uploads.head');

export const continueUpload = defineRoute({
  operationId: 'uploads.continue',
  'x-turn': 'transfer',
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
  refuses: [
    ...UPLOAD_REFUSALS,
    'upload_not_found',
    'upload_expired',
    'upload_offset',
    'upload_too_large',
    'upload_content_type',
    'file_busy',
    'body_timeout',
  ],
  responses: {
    204: {
      description: 'Everything sent is on the host',
      headers: z.object({ ...tusHeaders, 'Upload-Offset': z.string() }),
    },
  },
});

export const removeUpload = defineRoute({
  operationId: 'uploads.remove',
  'x-turn': 'files',
  method: 'delete',
  path: '/api/files/{server_id}/uploads/{upload_id}',
  tags: ['uploads'],
  summary: 'Cancel an upload; its part is removed from the host',
  description: 'Has no effect on the target file.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: { params: uploadParams, headers: z.object({ 'tus-resumable': version }) },
  refuses: [...UPLOAD_REFUSALS, 'upload_not_found', 'upload_expired'],
  responses: { 204: { description: 'Removed', headers: z.object(tusHeaders) } },
});
