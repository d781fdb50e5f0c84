import { z } from '@hono/zod-openapi';
import { Recording, RecordingFilter, RecordingVerdict } from '#core/model/recording.ts';
import { Ticket } from '#core/model/ticket.ts';
import { defineRoute } from './define.ts';
import { json, page, paging, pathId, refusal } from './shapes.ts';

const params = z.object({ id: pathId });
const unknown = refusal('Unknown, or somebody else’s; or its file is gone');

const fileQuery = z.object({
  ticket: z.string().max(100).optional().describe('From the ticket operation'),
  token: z.string().max(4096).optional().describe('For simple clients: the access token'),
});

const filePolicy = {
  'x-access': 'user',
  'x-scope': 'read',
  'x-ticket': 'recording',
  'x-allow': ['token_in_query'],
} as const;

const CAST = z.string().meta({ format: 'binary' });

export const listRecordings = defineRoute({
  operationId: 'recordings.list',
  method: 'get',
  path: '/api/recordings',
  tags: ['recordings'],
  summary: 'Recordings: the own ones; of everybody for administrators',
  'x-access': 'user',
  'x-scope': 'read',
  request: { query: paging.extend(RecordingFilter.shape) },
  responses: { 200: page(Recording, 'The newest first') },
});

export const getRecording = defineRoute({
  operationId: 'recordings.get',
  method: 'get',
  path: '/api/recordings/{id}',
  tags: ['recordings'],
  summary: 'One recording',
  'x-access': 'user',
  'x-scope': 'read',
  request: { params },
  responses: { 200: json(Recording, 'The recording'), 404: unknown },
});

export const deleteRecording = defineRoute({
  operationId: 'recordings.delete',
  method: 'delete',
  path: '/api/recordings/{id}',
  tags: ['recordings'],
  summary: 'Delete a recording and its file',
  description:
    'The audit log keeps its hash, and who deleted it. One that is still being written is refused (409).',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params },
  responses: { 204: { description: 'Deleted' }, 404: unknown, 409: refusal('It is still being recorded') },
});

export const recordingTicket = defineRoute({
  operationId: 'recordings.ticket',
  method: 'post',
  path: '/api/recordings/{id}/ticket',
  tags: ['recordings'],
  summary: 'A ticket for the page and the files of one recording',
  description: 'Valid for 60 seconds: for links that a browser opens itself.',
  'x-access': 'user',
  'x-scope': 'read',
  request: { params },
  responses: { 200: json(Ticket, 'The ticket'), 404: unknown },
});

export const recordingCast = defineRoute({
  operationId: 'recordings.cast',
  method: 'get',
  path: '/api/recordings/{id}/cast',
  tags: ['recordings'],
  summary: 'The cast (asciicast v2, JSON Lines)',
  description: 'Of one that is still being written, what is there so far. `Range` is answered.',
  ...filePolicy,
  request: { params, query: fileQuery },
  responses: {
    200: { description: 'The cast', content: { 'application/x-asciicast': { schema: CAST } } },
    206: { description: 'The part asked for', content: { 'application/x-asciicast': { schema: CAST } } },
    304: { description: 'Not modified since the `If-None-Match` given' },
    404: unknown,
    416: refusal('The range lies outside the file'),
  },
});

export const recordingDownload = defineRoute({
  operationId: 'recordings.download',
  method: 'get',
  path: '/api/recordings/{id}/download',
  tags: ['recordings'],
  summary: 'The cast as an attachment',
  ...filePolicy,
  request: { params, query: fileQuery },
  responses: {
    200: { description: 'The cast', content: { 'application/x-asciicast': { schema: CAST } } },
    206: { description: 'The part asked for', content: { 'application/x-asciicast': { schema: CAST } } },
    304: { description: 'Not modified since the `If-None-Match` given' },
    404: unknown,
    416: refusal('The range lies outside the file'),
  },
});

export const recordingText = defineRoute({
  operationId: 'recordings.text',
  method: 'get',
  path: '/api/recordings/{id}/text',
  tags: ['recordings'],
  summary: 'What was to be seen, as plain text',
  description: 'As a terminal shows it, without control sequences; full-screen programs leave nothing.',
  ...filePolicy,
  request: { params, query: fileQuery },
  responses: {
    200: { description: 'The text', content: { 'text/plain': { schema: z.string() } } },
    404: unknown,
  },
});

export const playRecording = defineRoute({
  operationId: 'recordings.play',
  method: 'get',
  path: '/api/recordings/{id}/play',
  tags: ['recordings'],
  summary: 'A page that plays it',
  description: 'HTML with the bundled player; no request leaves the gateway.',
  ...filePolicy,
  request: { params, query: fileQuery },
  responses: {
    200: {
      description: 'The page',
      content: { 'text/html': { schema: z.string() } },
      headers: z.object({
        'Referrer-Policy': z.string().describe('`no-referrer`'),
        'Cache-Control': z.string().describe('`private, no-store`'),
      }),
    },
    404: unknown,
  },
});

export const verifyRecording = defineRoute({
  operationId: 'recordings.verify',
  method: 'get',
  path: '/api/recordings/{id}/verify',
  tags: ['recordings'],
  summary: 'Hold the file against the hash in the audit log',
  description: 'Whether the audit log itself is whole, `audit.verify` tells.',
  'x-access': 'user',
  'x-scope': 'read',
  'x-long': true,
  request: { params },
  responses: { 200: json(RecordingVerdict, 'The verdict'), 404: unknown },
});
