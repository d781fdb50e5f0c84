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
} from '#core/model/files/file-change.ts';
import { Restored, RestoreInput } from '#core/model/files/old-copy.ts';
import { defineRoute } from '../define.ts';
import { body, json } from '../shapes.ts';
import { fileParams } from './files.ts';
import { WRITE_REFUSALS } from './refusals.ts';

export const writeFile = defineRoute({
  operationId: 'files.write',
  'x-turn': 'files',
  method: 'put',
  path: '/api/files/{server_id}/write',
  tags: ['files'],
  summary: 'Save a text file',
  description:
    'The text is written to a part file next to the target and replaces it in one step. Owner, group ' +
    'and mode are kept, and a link stays a link. Where a new file would have another owner or group, ' +
    'might lose an access list, would lose hard links, or cannot be created, the text is written to the file itself, ' +
    'with a copy of the old content until that is done (`in_place`). A dangling link stays, and its target is created. With `If-Match` (the `etag` of `read`), the save succeeds only ' +
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
  refuses: [...WRITE_REFUSALS, 'stale_etag', 'file_too_large', 'file_busy', 'not_text'],
  responses: {
    200: json(Saved, 'Saved'),
  },
});

export const restoreFile = defineRoute({
  operationId: 'files.restore',
  'x-turn': 'files',
  method: 'post',
  path: '/api/files/{server_id}/restore',
  tags: ['files'],
  summary: 'Restore the old content that an interrupted save has left',
  description:
    'The copy is saved as the file, as `write` does but at any size, and then removed. Audited as a save.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: { params: fileParams, body: body(RestoreInput) },
  refuses: [...WRITE_REFUSALS, 'file_busy'],
  responses: {
    200: json(Restored, 'Restored'),
  },
});

export const makeDirectory = defineRoute({
  operationId: 'files.mkdir',
  'x-turn': 'files',
  method: 'post',
  path: '/api/files/{server_id}/mkdir',
  tags: ['files'],
  summary: 'Create a directory',
  description:
    'The parent must exist, unless `parents` is true: then missing parents are created, and an existing directory is no error. Audited.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: { params: fileParams, body: body(MkdirInput) },
  refuses: WRITE_REFUSALS,
  responses: { 200: json(DirectoryMade, 'Created') },
});

export const renameFile = defineRoute({
  operationId: 'files.rename',
  'x-turn': 'files',
  method: 'post',
  path: '/api/files/{server_id}/rename',
  tags: ['files'],
  summary: 'Rename or move; acts on a link itself',
  description:
    'An existing target is refused with 409 unless `overwrite` is true. Source and target must both be allowed. Audited.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  request: { params: fileParams, body: body(RenameInput) },
  refuses: [...WRITE_REFUSALS, 'into_itself'],
  responses: { 200: json(Renamed, 'Renamed') },
});

export const deleteFile = defineRoute({
  operationId: 'files.delete',
  'x-turn': 'files',
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
  refuses: WRITE_REFUSALS,
  responses: { 200: json(Deleted, 'Deleted') },
});

export const changeMode = defineRoute({
  operationId: 'files.chmod',
  'x-turn': 'files',
  method: 'post',
  path: '/api/files/{server_id}/chmod',
  tags: ['files'],
  summary: 'Change permissions',
  description:
    'With `recursive`, everything below a directory gets the mode, too; links are left alone. Audited.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  'x-long': true,
  request: { params: fileParams, body: body(ChmodInput) },
  refuses: [...WRITE_REFUSALS, 'invalid_mode'],
  responses: { 200: json(ModeChanged, 'Changed') },
});
