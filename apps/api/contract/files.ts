import { z } from '@hono/zod-openapi';
import { DirectoryEntry, Listing, TextFile } from '#core/model/directory-entry.ts';
import { Ticket } from '#core/model/ticket.ts';
import { defineRoute } from './define.ts';
import { body, json, pathId, refusal } from './shapes.ts';

const params = z.object({ server_id: pathId });
const path = z.string().min(1).max(4096).describe('Absolute remote path; `.` and `..` are resolved');

const refusals = {
  400: refusal('The path is not absolute or holds NUL'),
  403: refusal('SFTP is off, the path is outside the allowed directories, or the server denies it'),
  404: refusal('Unknown server, or no such file'),
  409: refusal('Not a directory, or not a regular file; or `credentials_required`: connect first'),
  502: refusal('The host cannot be reached, refused the credentials, or failed'),
  504: refusal('The host did not answer in time'),
};

export const listFiles = defineRoute({
  operationId: 'files.list',
  method: 'get',
  path: '/api/files/{server_id}/ls',
  tags: ['files'],
  summary: 'List a directory',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params, query: z.object({ path: path.default('/') }) },
  responses: { 200: json(Listing, 'Directories first, then by name without regard to case'), ...refusals },
});

export const statFile = defineRoute({
  operationId: 'files.stat',
  method: 'get',
  path: '/api/files/{server_id}/stat',
  tags: ['files'],
  summary: 'One entry; a link is described itself',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params, query: z.object({ path }) },
  responses: { 200: json(DirectoryEntry, 'The entry'), ...refusals },
});

export const readFile = defineRoute({
  operationId: 'files.read',
  method: 'get',
  path: '/api/files/{server_id}/read',
  tags: ['files'],
  summary: 'The text of a file, up to 8 MiB',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params, query: z.object({ path }) },
  responses: {
    200: json(TextFile, 'The text'),
    ...refusals,
    413: refusal('Larger than 8 MiB'),
    415: refusal('Holds NUL or is not UTF-8'),
  },
});

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
    params,
    query: z.object({
      path,
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
    ...refusals,
    416: refusal('The range lies outside the file'),
  },
});

export const fileTicket = defineRoute({
  operationId: 'files.ticket',
  method: 'post',
  path: '/api/files/{server_id}/ticket',
  tags: ['files'],
  summary: 'A ticket that downloads one file',
  description: 'Valid for 10 minutes, for this server and path alone; for links and media tags of a browser.',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params, body: body(z.strictObject({ path })) },
  responses: { 200: json(Ticket, 'The ticket'), ...refusals },
});

const Typed = z
  .strictObject({
    username: z.string().min(1).max(150).optional().describe('By default the one that the registry has'),
    password: z.string().min(1).max(1024),
  })
  .meta({ id: 'TypedCredentials' });

export const connectFiles = defineRoute({
  operationId: 'files.connect',
  method: 'post',
  path: '/api/files/{server_id}/connect',
  tags: ['files'],
  summary: 'Sign in where a server, or a jump host before it, stores no credential',
  'x-rate': { name: 'files_connect', limit: 10, window_s: 60, by: 'user' },
  description:
    'What is typed is for the first hop that asks, the one that `credentials_required` named; when a further hop asks, this ' +
    'answers `credentials_required` for that one. It is kept in the memory of this instance alone, for the caller’s sign-in or ' +
    'key alone, until it was not used for 5 minutes; then operations answer 409 `credentials_required` again.',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params, body: body(Typed) },
  responses: {
    200: json(z.object({ connected: z.literal(true) }).meta({ id: 'Connected' }), 'SFTP is open'),
    ...refusals,
  },
});

function binary() {
  return z.string().meta({ format: 'binary' });
}
