import { z } from '@hono/zod-openapi';
import {
  ChmodInput,
  Deleted,
  DirectoryMade,
  MkdirInput,
  ModeChanged,
  RemotePath,
  Renamed,
  RenameInput,
  Saved,
  WriteInput,
} from '#core/model/file-change.ts';
import { defineRoute } from '../define.ts';
import { body, json, refusal } from '../shapes.ts';
import { fileParams, fileRefusals } from './files.ts';

const refusals = {
  ...fileRefusals,
  403: refusal(
    'SFTP is disabled or read-only, the path is outside the allowed directories, or the host denies ' +
      'access',
  ),
  507: refusal('The disk of the host is full'),
};

export const writeFile = defineRoute({
  operationId: 'files.write',
  method: 'put',
  path: '/api/files/{server_id}/write',
  tags: ['files'],
  summary: 'Save a text file',
  description:
    'The text is written to a part file next to the target and replaces it in one step. Owner, group ' +
    'and mode are kept, and a link stays a link. Where a new file would have another owner or group, ' +
    'would lose hard links, or cannot be created, the text is written to the file itself, with a copy ' +
    'of the old content until that is done (`in_place`). With `If-Match` (the `etag` of `read`), the save succeeds only ' +
    'if the text has not changed: of simultaneous saves with the same etag exactly one wins. ' +
    '`If-None-Match: *` only creates a new file. Up to 8 MiB.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  'x-body-limit': 17, // JSON writes a line break or a quote of the 8 MiB as two characters
  request: {
    params: fileParams,
    headers: z.object({
      'if-match': z.string().max(1000).optional(),
      'if-none-match': z.string().max(1000).optional(),
    }),
    body: body(WriteInput),
  },
  responses: {
    200: json(Saved, 'Saved'),
    ...refusals,
    412: refusal('The file has changed, or already exists'),
    413: refusal('Larger than 8 MiB'),
    423: refusal('Somebody else is saving this file'),
  },
});

export const makeDirectory = defineRoute({
  operationId: 'files.mkdir',
  method: 'post',
  path: '/api/files/{server_id}/mkdir',
  tags: ['files'],
  summary: 'Create a directory',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: { params: fileParams, body: body(MkdirInput) },
  responses: { 200: json(DirectoryMade, 'Created'), ...refusals },
});

export const renameFile = defineRoute({
  operationId: 'files.rename',
  method: 'post',
  path: '/api/files/{server_id}/rename',
  tags: ['files'],
  summary: 'Rename or move; acts on a link itself',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: { params: fileParams, body: body(RenameInput) },
  responses: { 200: json(Renamed, 'Renamed'), ...refusals },
});

export const deleteFile = defineRoute({
  operationId: 'files.delete',
  'x-while-full': false, // each adds an audit entry
  method: 'delete',
  path: '/api/files/{server_id}/delete',
  tags: ['files'],
  summary: 'Delete a file, a link itself, or a directory with everything in it',
  description:
    'Reads the whole directory first: if something in it cannot be addressed or read, nothing is deleted. What is refused later, such as a file in a directory without write permission, stays, and the rest is deleted.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  'x-long': true,
  request: { params: fileParams, query: z.object({ path: RemotePath }) },
  responses: { 200: json(Deleted, 'Deleted'), ...refusals },
});

export const changeMode = defineRoute({
  operationId: 'files.chmod',
  method: 'post',
  path: '/api/files/{server_id}/chmod',
  tags: ['files'],
  summary: 'Change permissions',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  'x-long': true,
  request: { params: fileParams, body: body(ChmodInput) },
  responses: { 200: json(ModeChanged, 'Changed'), ...refusals },
});
