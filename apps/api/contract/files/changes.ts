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
    'SFTP is off or read-only, the path is outside the allowed directories, or the server denies it',
  ),
  507: refusal('The disk of the host is full'),
};

export const writeFile = defineRoute({
  operationId: 'files.write',
  method: 'put',
  path: '/api/files/{server_id}/write',
  tags: ['files'],
  summary: 'Save the text of a file',
  description:
    'Written beside it, then renamed over it in one step; the mode is kept, a link stays one. With `If-Match` (the `etag` ' +
    'of `read`) only if the text is still the same: of simultaneous saves with one etag exactly one wins. ' +
    '`If-None-Match: *` only makes a new file. Up to 8 MiB.',
  'x-access': 'user',
  'x-scope': 'files',
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
    412: refusal('The file was changed, or is there already'),
    413: refusal('Larger than 8 MiB'),
    423: refusal('Somebody else is saving it just now'),
  },
});

export const makeDirectory = defineRoute({
  operationId: 'files.mkdir',
  method: 'post',
  path: '/api/files/{server_id}/mkdir',
  tags: ['files'],
  summary: 'Make a directory',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params: fileParams, body: body(MkdirInput) },
  responses: { 200: json(DirectoryMade, 'It is there'), ...refusals },
});

export const renameFile = defineRoute({
  operationId: 'files.rename',
  method: 'post',
  path: '/api/files/{server_id}/rename',
  tags: ['files'],
  summary: 'Rename or move; a link is moved itself',
  'x-access': 'user',
  'x-scope': 'files',
  request: { params: fileParams, body: body(RenameInput) },
  responses: { 200: json(Renamed, 'It has the new name'), ...refusals },
});

export const deleteFile = defineRoute({
  operationId: 'files.delete',
  method: 'delete',
  path: '/api/files/{server_id}/delete',
  tags: ['files'],
  summary: 'Delete a file, a link itself, or a directory with all that is in it',
  'x-access': 'user',
  'x-scope': 'files',
  'x-long': true,
  request: { params: fileParams, query: z.object({ path: RemotePath }) },
  responses: { 200: json(Deleted, 'It is gone'), ...refusals },
});

export const changeMode = defineRoute({
  operationId: 'files.chmod',
  method: 'post',
  path: '/api/files/{server_id}/chmod',
  tags: ['files'],
  summary: 'Change permissions',
  'x-access': 'user',
  'x-scope': 'files',
  'x-long': true,
  request: { params: fileParams, body: body(ChmodInput) },
  responses: { 200: json(ModeChanged, 'They are changed'), ...refusals },
});
