import { z } from '@hono/zod-openapi';
import { DirectoryEntry, Home, Listing, TextFile } from '#core/model/files/directory-entry.ts';
import { Found, RemotePath } from '#core/model/files/file-change.ts';
import { OldCopies } from '#core/model/files/old-copy.ts';
import { defineRoute } from '../define.ts';
import { body, json, pathId } from '../shapes.ts';
import { FILE_REFUSALS } from './refusals.ts';

export const fileParams = z.object({ server_id: pathId });

export const listFiles = defineRoute({
  operationId: 'files.list',
  'x-turn': 'files',
  method: 'get',
  path: '/api/files/{server_id}/ls',
  tags: ['files'],
  summary: 'List a directory',
  description:
    'Up to 100,000 entries and more, in one answer. Large listings of a user take turns. `is_dir` follows links. A name that is not UTF-8 has `addressable` false. Not audited.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, query: z.object({ path: RemotePath.default('/') }) },
  refuses: FILE_REFUSALS,
  responses: {
    200: json(Listing, 'Directories first, then by name, ignoring case'),
  },
});

export const homeOfFiles = defineRoute({
  operationId: 'files.home',
  'x-turn': 'files',
  method: 'get',
  path: '/api/files/{server_id}/home',
  tags: ['files'],
  summary: 'Get the initial directory',
  description: 'The login directory of the host, or the first allowed directory if that one is not allowed.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams },
  refuses: FILE_REFUSALS,
  responses: { 200: json(Home, 'A directory') },
});

export const statFile = defineRoute({
  operationId: 'files.stat',
  'x-turn': 'files',
  method: 'get',
  path: '/api/files/{server_id}/stat',
  tags: ['files'],
  summary: 'Get one entry; describes a link itself',
  description: 'The same fields as in a listing.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, query: z.object({ path: RemotePath }) },
  refuses: FILE_REFUSALS,
  responses: { 200: json(DirectoryEntry, 'The entry') },
});

export const readFile = defineRoute({
  operationId: 'files.read',
  'x-turn': 'files',
  method: 'get',
  path: '/api/files/{server_id}/read',
  tags: ['files'],
  summary: 'Read a text file of up to 8 MiB',
  description:
    'Byte order mark and line ends are kept. Send the `etag` with `If-Match` when you save. `is_writable` says ' +
    'whether the account on the host may save it: the gateway finds out by opening the file for writing, which changes nothing. Not audited.',
  'x-mixes-secrets': true,
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, query: z.object({ path: RemotePath }) },
  refuses: [...FILE_REFUSALS, 'file_too_large', 'not_text', 'file_busy'],
  responses: {
    200: json(TextFile, 'The text'),
  },
});

export const oldCopies = defineRoute({
  operationId: 'files.old_copies',
  'x-turn': 'files',
  method: 'get',
  path: '/api/files/{server_id}/old-copies',
  tags: ['files'],
  summary: 'List what interrupted saves have left of a file',
  description:
    'A save in place keeps a copy of the old content until it is done. Read one with `read`, put it back with `restore`. ' +
    'Only files of the account on the host that nobody else can read or write are listed.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, query: z.object({ path: RemotePath }) },
  refuses: FILE_REFUSALS,
  responses: { 200: json(OldCopies, 'The copies') },
});

export const searchFiles = defineRoute({
  operationId: 'files.search',
  'x-turn': 'files',
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
  refuses: FILE_REFUSALS,
  responses: { 200: json(Found, 'The matches') },
});

const Typed = z
  .strictObject({
    username: z.string().min(1).max(150).optional().describe('Default: the username of the server record'),
    password: z.string().min(1).max(1024),
  })
  .meta({ id: 'TypedCredentials' });

export const connectFiles = defineRoute({
  operationId: 'files.connect',
  'x-turn': 'files',
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
  refuses: FILE_REFUSALS,
  responses: {
    200: json(z.object({ connected: z.literal(true) }).meta({ id: 'Connected' }), 'SFTP is open'),
  },
});
