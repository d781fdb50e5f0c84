import { z } from '@hono/zod-openapi';
import {
  ArchiveListing,
  ExtractEvent,
  ExtractInput,
  MemberName,
  NameEncoding,
} from '#core/model/files/archive.ts';
import { RemotePath } from '#core/model/files/file-change.ts';
import { defineRoute, headOf } from '../define.ts';
import { body, json } from '../shapes.ts';
import { fileParams } from './files.ts';
import { FILE_REFUSALS, WRITE_REFUSALS } from './refusals.ts';

const UNREADABLE = ['archive_unreadable', 'archive_damaged', 'archive_too_large', 'archive_overlap'] as const;
const NO_MEMBER = ['member_not_found', 'member_encrypted', 'member_method'] as const;

export const listArchive = defineRoute({
  operationId: 'files.archive',
  'x-turn': 'files',
  method: 'get',
  path: '/api/files/{server_id}/archive',
  tags: ['files'],
  summary: 'List the members of a ZIP archive without downloading it',
  description:
    'Reads the central directory only, at its offset; ZIP64 is supported. Up to 100,000 members and ' +
    '32 MiB of directory, then `truncated` is set. A name that is neither marked as UTF-8 nor has a Unicode ' +
    'Path field is decoded with `encoding`; without it, it is taken as UTF-8 if it is valid, else as bytes ' +
    'where the archive was made on Unix, and else in an encoding that is guessed from all such names (code ' +
    'page 437 where no other fits). Backslashes separate in archives made on FAT, NTFS or OS/2 without any `/`. ' +
    'An archive split over several files is refused.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  request: { params: fileParams, query: z.object({ path: RemotePath, encoding: NameEncoding.optional() }) },
  refuses: [...FILE_REFUSALS, ...UNREADABLE, 'too_many_archives'],
  responses: {
    200: json(ArchiveListing, 'The members, in the order of the archive'),
  },
});

export const readMember = defineRoute({
  operationId: 'files.archive_member',
  'x-turn': 'own',
  'x-while-full': false, // each adds an audit entry
  method: 'get',
  path: '/api/files/{server_id}/archive/member',
  tags: ['files'],
  summary: 'Download one member of a ZIP archive',
  description:
    'Streamed and decompressed; `Range` is not supported. If the content is not what the archive says ' +
    '(size, checksum, local header), the stream is aborted, so a damaged member never looks complete. ' +
    'Of several members with one name, the first.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files' },
  'x-ticket': 'file',
  'x-allow': ['token_in_query'],
  request: {
    params: fileParams,
    query: z.object({
      path: RemotePath.describe('The archive'),
      member: MemberName,
      encoding: NameEncoding.optional(),
      inline: z
        .enum(['0', '1', 'true', 'false'])
        .optional()
        .describe('Show in the browser instead of saving; only for images, audio, video, PDF and plain text'),
      ticket: z
        .string()
        .max(100)
        .optional()
        .describe('From the ticket operation, for the path of the archive'),
      token: z.string().max(4096).optional().describe('For simple clients: the access token'),
    }),
  },
  refuses: [...FILE_REFUSALS, ...UNREADABLE, ...NO_MEMBER, 'too_many_archives', 'too_many_downloads'],
  responses: {
    200: {
      description: 'The content',
      content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
    },
  },
});

export const headMember = headOf(readMember, 'files.archive_member_head');

export const extractArchive = defineRoute({
  operationId: 'files.extract',
  'x-turn': 'own',
  method: 'post',
  path: '/api/files/{server_id}/extract',
  tags: ['files'],
  summary: 'Extract a ZIP archive on its host',
  description:
    'Streamed from the archive through the gateway into `target_path` on the same host. Everything is ' +
    'checked before anything is written; a refusal then has its status. Afterwards the answer is a stream of events, each named ' +
    'as the `type` of its ExtractEvent: `progress`, `skipped`, and at the end `done` or `error`. Each ' +
    'file appears when it is complete and its checksum is right. An `error` counts what was written ' +
    'and names what was not. Disconnecting aborts; complete files remain.\n\n' +
    'No archive leads outside the target: members with an unsafe name, links, special files, and members below ' +
    'a link that leads out of the target are skipped, as are damaged and encrypted ones. Refused as a ' +
    'whole: members that overlap, names of more than 4,096 bytes, more than 64 GiB, more than 64 MiB and a tenth of the ' +
    'free space that would grow over 200-fold, and more than the free space of the host. Permissions are kept without set-ID bits and without write permission for ' +
    'group and others; so is the time of each file.',
  'x-access': 'user',
  'x-scope': 'files',
  'x-embed': { kind: 'files', writes: true },
  'x-long': true,
  request: { params: fileParams, body: body(ExtractInput) },
  refuses: [
    ...WRITE_REFUSALS,
    ...UNREADABLE,
    ...NO_MEMBER,
    'archive_bomb',
    'too_many_archives',
    'too_many_extractions',
  ],
  responses: {
    200: {
      description: 'The progress and the end',
      content: { 'text/event-stream': { schema: ExtractEvent } },
    },
  },
});
