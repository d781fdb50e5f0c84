import { z } from '@hono/zod-openapi';
import { Copied, CopyEvent, CopyInput, RemotePath, Uploaded, ZipInput } from '#core/model/file-change.ts';
import { Ticket } from '#core/model/ticket.ts';
import { defineRoute } from '../define.ts';
import { body, json, refusal } from '../shapes.ts';
import { fileParams, fileRefusals } from './files.ts';

const tooMany = refusal('No more than 100 downloads at once for each user');

export const downloadFile = defineRoute({
  operationId: 'files.download',
  method: 'get',
  path: '/api/files/{server_id}/download',
  tags: ['files'],
  summary: 'The bytes of a file',
  description:
    'Streamed, with `Content-Length`, `ETag`, `Last-Modified` and `Accept-Ranges`; `Range` with `If-Range` answers 206. ' +
    '`HEAD` answers the headers alone.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-ticket': 'file',
  'x-allow': ['token_in_query'],
  request: {
    params: fileParams,
    query: z.object({
      path: RemotePath,
      inline: z
        .enum(['0', '1', 'true', 'false'])
        .optional()
        .describe('Show in the browser; only for images, audio, video, PDF and plain text'),
      ticket: z.string().max(100).optional().describe('From the ticket operation'),
      token: z.string().max(4096).optional().describe('For simple clients: the access token'),
    }),
  },
  responses: {
    200: { description: 'The whole file', content: { 'application/octet-stream': { schema: binary() } } },
    206: { description: 'The part asked for', content: { 'application/octet-stream': { schema: binary() } } },
    304: { description: 'Not modified since the `If-None-Match` given' },
    ...fileRefusals,
    416: refusal('The range lies outside the file'),
    429: tooMany,
  },
});

export const fileTicket = defineRoute({
  operationId: 'files.ticket',
  method: 'post',
  path: '/api/files/{server_id}/ticket',
  tags: ['files'],
  summary: 'A ticket that downloads one file, or one ZIP archive',
  description:
    'Valid for 10 minutes, for this server alone; for links and media tags of a browser. With `path`: for `download`, or ' +
    '`download-zip` of that one path. With `paths`: for `download-zip?ticket=…`, which then needs no `path`.',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params: fileParams, body: body(z.union([z.strictObject({ path: RemotePath }), ZipInput])) },
  responses: { 200: json(Ticket, 'The ticket'), ...fileRefusals },
});

const archive = { description: 'The archive', content: { 'application/zip': { schema: binary() } } };
const ABOUT_ZIP =
  'Streamed, ZIP64 where needed. Links are not followed; what cannot be read is listed in `_skipped.txt` inside. A host ' +
  'that dies breaks the stream off, so that no short archive looks whole. Named `<directory>.zip`.';

export const zipDirectory = defineRoute({
  operationId: 'files.zip',
  method: 'get',
  path: '/api/files/{server_id}/download-zip',
  tags: ['files'],
  summary: 'A directory as a ZIP archive',
  description: ABOUT_ZIP,
  'x-access': 'user',
  'x-scope': 'files',
  'x-ticket': 'archive',
  'x-allow': ['token_in_query'],
  request: {
    params: fileParams,
    query: z.object({
      path: RemotePath.optional().describe('Required unless the ticket is for `paths`'),
      ticket: z.string().max(100).optional().describe('From the ticket operation'),
      token: z.string().max(4096).optional().describe('For simple clients: the access token'),
    }),
  },
  responses: { 200: archive, ...fileRefusals, 429: tooMany },
});

export const zipPaths = defineRoute({
  operationId: 'files.zip_paths',
  method: 'post',
  path: '/api/files/{server_id}/download-zip',
  tags: ['files'],
  summary: 'Files and directories as a ZIP archive',
  description: ABOUT_ZIP,
  'x-access': 'user',
  'x-scope': 'files',
  request: { params: fileParams, body: body(ZipInput) },
  responses: { 200: archive, ...fileRefusals, 429: tooMany },
});

/** Plain JSON Schema is documented, but nothing parses by it: a parsed form would be whole in memory. */
const UPLOAD_FORM = {
  type: 'object' as const,
  properties: {
    files: {
      type: 'array' as const,
      items: { type: 'string' as const, format: 'binary' },
      description: 'Any field name',
    },
  },
  required: ['files'],
};

export const uploadFiles = defineRoute({
  operationId: 'files.upload',
  method: 'post',
  path: '/api/files/{server_id}/upload',
  tags: ['files'],
  summary: 'Upload files into a directory',
  description:
    'Each part with a file name, whatever its field is called, becomes a file of that name, written beside it and put in ' +
    'place once it is whole; an aborted upload leaves nothing. What was put in place before a later part failed stays. ' +
    'Up to 1,000 files in one request; parts without a file name are passed over.',
  'x-access': 'user',
  'x-scope': 'files',
  request: {
    params: fileParams,
    query: z.object({
      path: RemotePath.describe('The directory'),
      overwrite: z.enum(['0', '1', 'true', 'false']).default('true').describe('Replace files that are there'),
    }),
    body: {
      required: true,
      content: {
        'multipart/form-data': { schema: UPLOAD_FORM },
      },
    },
  },
  responses: {
    200: json(Uploaded, 'All are in place'),
    ...fileRefusals,
    413: refusal('Larger than `SERVICE_MAX_UPLOAD_SIZE`'),
    507: refusal('The disk of the host is full'),
  },
});

export const copyTo = defineRoute({
  operationId: 'files.copy_to',
  method: 'post',
  path: '/api/files/{server_id}/copy-to',
  tags: ['files'],
  summary: 'Copy a file or a directory to another server',
  description:
    'Streamed from host to host through the gateway; the rules of both servers hold. Files come into place one by one, each ' +
    'whole. Links are not followed and not copied. With `Accept: text/event-stream`, each event `copy` is a CopyEvent; ' +
    'who goes away ends the copying.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-long': true,
  request: { params: fileParams, body: body(CopyInput) },
  responses: {
    200: {
      description: 'It is done; or, as events, how it goes',
      content: { 'application/json': { schema: Copied }, 'text/event-stream': { schema: CopyEvent } },
    },
    ...fileRefusals,
    507: refusal('The disk of the target host is full'),
  },
});

function binary() {
  return z.string().meta({ format: 'binary' });
}
