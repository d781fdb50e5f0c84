import { z } from '@hono/zod-openapi';
import { DirectoryEntry, Home, Listing, TextFile } from '#core/model/directory-entry.ts';
import { Found, RemotePath } from '#core/model/file-change.ts';
import { defineRoute } from '../define.ts';
import { body, json, pathId, refusal } from '../shapes.ts';

export const fileParams = z.object({ server_id: pathId });

/** Refusals that any file operation may answer with. */
export const fileRefusals = {
  400: refusal('The path is not absolute, contains NUL, or has a wrong escape after `bytes:`'),
  403: refusal('SFTP is disabled, the path is outside the allowed directories, or the host denies access'),
  404: refusal('Unknown server or file'),
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
  'x-embed': { kind: 'files' },
  request: { params: fileParams, query: z.object({ path: RemotePath.default('/') }) },
  responses: {
    200: json(Listing, 'Directories first, then by name, ignoring case'),
    ...fileRefusals,
  },
});

export const homeOfFiles = defineRoute({
  operationId: 'files.home',
  method: 'get',
  path: '/api/files/{server_id}/home',
  tags: ['files'],
  summary: 'Get the initial directory',
  description: 'The login directory of the host, or the first allowed directory if that one is not allowed.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams },
  responses: { 200: json(Home, 'A directory'), ...fileRefusals },
});

export const statFile = defineRoute({
  operationId: 'files.stat',
  method: 'get',
  path: '/api/files/{server_id}/stat',
  tags: ['files'],
  summary: 'Get one entry; describes a link itself',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, query: z.object({ path: RemotePath }) },
  responses: { 200: json(DirectoryEntry, 'The entry'), ...fileRefusals },
});

export const readFile = defineRoute({
  operationId: 'files.read',
  method: 'get',
  path: '/api/files/{server_id}/read',
  tags: ['files'],
  summary: 'Read a text file of up to 8 MiB',
  'x-mixes-secrets': true,
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, query: z.object({ path: RemotePath }) },
  responses: {
    200: json(TextFile, 'The text'),
    ...fileRefusals,
    413: refusal('Larger than 8 MiB'),
    415: refusal('Contains NUL, or is not UTF-8'),
  },
});

export const searchFiles = defineRoute({
  operationId: 'files.search',
  method: 'get',
  path: '/api/files/{server_id}/search',
  tags: ['files'],
  summary: 'Search for names below a directory',
  description:
    'Finds names that contain `q`, ignoring case. Links are found but not followed. The search stops ' +
    'at the limit or after 10 seconds, and then sets `truncated`. Directories that cannot be read ' +
    'are skipped.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: {
    params: fileParams,
    query: z.object({
      path: RemotePath,
      q: z.string().min(1).max(255),
      limit: z.coerce.number().int().min(1).max(1000).default(200),
    }),
  },
  responses: { 200: json(Found, 'The matches'), ...fileRefusals },
});

const Typed = z
  .strictObject({
    username: z.string().min(1).max(150).optional().describe('Default: the username of the server record'),
    password: z.string().min(1).max(1024),
  })
  .meta({ id: 'TypedCredentials' });

export const connectFiles = defineRoute({
  operationId: 'files.connect',
  method: 'post',
  path: '/api/files/{server_id}/connect',
  tags: ['files'],
  summary: 'Provide the credential that a server or its jump host asks for at connect',
  'x-rate': { name: 'files_connect', limit: 10, window_s: 60, by: 'user' },
  description:
    'The credential is for the first hop that asks, which `credentials_required` named. If a further ' +
    'hop asks too, this answers `credentials_required` for that hop. The credential is kept only in ' +
    'the memory of this instance and only for the caller’s session or API key, until it has been ' +
    'unused for 5 minutes; then operations answer 409 `credentials_required` again.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, body: body(Typed) },
  responses: {
    200: json(z.object({ connected: z.literal(true) }).meta({ id: 'Connected' }), 'SFTP is open'),
    ...fileRefusals,
  },
});
