import { z } from '@hono/zod-openapi';
import { Ticket } from '#core/model/accounts/ticket.ts';
import {
  Copied,
  CopyEvent,
  CopyInput,
  RemotePath,
  Uploaded,
  ZipInput,
} from '#core/model/files/file-change.ts';
import { defineRoute, headOf } from '../define.ts';
import { body, json } from '../shapes.ts';
import { fileParams } from './files.ts';
import { FILE_REFUSALS, WRITE_REFUSALS } from './refusals.ts';

export const downloadFile = defineRoute({
  operationId: 'files.download',
  'x-turn': 'own',
  'x-while-full': false, // each adds an audit entry
  method: 'get',
  path: '/api/files/{server_id}/download',
  tags: ['files'],
  summary: 'Download a file',
  description:
    'Streamed, with `Content-Length`, `ETag`, `Last-Modified` and `Accept-Ranges`. Supports `Range` ' +
    'with `If-Range` (206), the conditions of RFC 9110 (`If-Match`, `If-None-Match`, ' +
    '`If-Modified-Since`, `If-Unmodified-Since`), and `HEAD`.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  'x-ticket': 'file',
  'x-allow': ['token_in_query'],
  request: {
    params: fileParams,
    query: z.object({
      path: RemotePath,
      inline: z
        .enum(['0', '1', 'true', 'false'])
        .optional()
        .describe('Show in the browser instead of saving; only for images, audio, video, PDF and plain text'),
      ticket: z.string().max(100).optional().describe('From the ticket operation'),
      token: z.string().max(4096).optional().describe('For simple clients: the access token'),
    }),
  },
  refuses: [
    ...FILE_REFUSALS,
    'stale_etag',
    'range_not_satisfiable',
    'too_many_downloads',
    'download_unread',
    'file_busy',
  ],
  responses: {
    200: { description: 'The whole file', content: { 'application/octet-stream': { schema: binary() } } },
    206: {
      description: 'The requested range',
      content: { 'application/octet-stream': { schema: binary() } },
    },
    304: { description: 'Not modified, compared with `If-None-Match` or `If-Modified-Since`' },
  },
});

export const headDownload = headOf(downloadFile, 'files.download_head');

export const fileTicket = defineRoute({
  operationId: 'files.ticket',
  'x-turn': 'files',
  method: 'post',
  path: '/api/files/{server_id}/ticket',
  tags: ['files'],
  summary: 'Create a ticket to download one file or one ZIP archive',
  description:
    'Valid for 10 minutes and for this server only; for links and media tags in a browser. With ' +
    '`path`: for `download`, or `download-zip` of that path. With `paths`: for ' +
    '`download-zip?ticket=…`, which then needs no `path`.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, body: body(z.union([z.strictObject({ path: RemotePath }), ZipInput])) },
  refuses: FILE_REFUSALS,
  responses: { 200: json(Ticket, 'The ticket') },
});

const archive = { description: 'The archive', content: { 'application/zip': { schema: binary() } } };
const ABOUT_ZIP =
  'Streamed, with ZIP64 where needed. Links are not followed; members that cannot be read are listed ' +
  'in `_skipped.txt` in the archive. If the host fails, the stream is aborted, so a truncated ' +
  'archive never looks complete. Named `<directory>.zip`.';

export const zipDirectory = defineRoute({
  operationId: 'files.zip',
  'x-turn': 'own',
  'x-while-full': false, // each adds an audit entry
  method: 'get',
  path: '/api/files/{server_id}/download-zip',
  tags: ['files'],
  summary: 'Download a directory as a ZIP archive',
  description: ABOUT_ZIP,
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
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
  refuses: [...FILE_REFUSALS, 'too_many_downloads', 'download_unread'],
  responses: { 200: archive },
});

export const headZip = headOf(zipDirectory, 'files.zip_head');

export const zipPaths = defineRoute({
  operationId: 'files.zip_paths',
  'x-turn': 'own',
  method: 'post',
  path: '/api/files/{server_id}/download-zip',
  tags: ['files'],
  summary: 'Download files and directories as a ZIP archive',
  description: ABOUT_ZIP,
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, body: body(ZipInput) },
  refuses: [...FILE_REFUSALS, 'too_many_downloads', 'download_unread'],
  responses: { 200: archive },
});

/** Plain JSON Schema, for the document only: a zod schema would parse the whole form into memory. */
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
  'x-turn': 'transfer',
  method: 'post',
  path: '/api/files/{server_id}/upload',
  tags: ['files'],
  summary: 'Upload files into a directory',
  description:
    'Each part with a file name, whatever its field name, becomes a file of that name. It is written ' +
    'to a part file and moved into place once it is complete; an aborted upload leaves nothing ' +
    'behind. Files completed before a later part failed are kept. Up to 1,000 files per request; ' +
    'parts without a file name are ignored.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: {
    params: fileParams,
    query: z.object({
      path: RemotePath.describe('The directory'),
      overwrite: z.enum(['0', '1', 'true', 'false']).default('true').describe('Replace existing files'),
    }),
    body: {
      required: true,
      content: {
        'multipart/form-data': { schema: UPLOAD_FORM },
      },
    },
  },
  refuses: [...WRITE_REFUSALS, 'bad_multipart', 'upload_too_large', 'file_busy', 'body_timeout'],
  responses: {
    200: json(Uploaded, 'All files are in place'),
  },
});

export const copyTo = defineRoute({
  operationId: 'files.copy_to',
  'x-turn': 'transfer',
  method: 'post',
  path: '/api/files/{server_id}/copy-to',
  tags: ['files'],
  summary: 'Copy a file or a directory to another server',
  description:
    'Streamed from host to host through the gateway; the rules of both servers apply. Files appear ' +
    'one by one, each complete. Links are neither followed nor copied. With `Accept: ' +
    'text/event-stream`, each event `copy` is a CopyEvent, with the total once it has been counted. ' +
    'Disconnecting aborts the copy.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  'x-long': true,
  request: { params: fileParams, body: body(CopyInput) },
  refuses: [...WRITE_REFUSALS, 'into_itself', 'tree_too_large', 'file_busy'],
  responses: {
    200: {
      description: 'Done; or, as events, the progress',
      content: { 'application/json': { schema: Copied }, 'text/event-stream': { schema: CopyEvent } },
    },
  },
});

function binary() {
  return z.string().meta({ format: 'binary' });
}
