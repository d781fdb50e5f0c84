import { z } from '@hono/zod-openapi';
import { Ticket } from '#core/model/accounts/ticket.ts';
import {
  Recording,
  RecordingFilter,
  RecordingSearch,
  RecordingSearchEvent,
  RecordingVerdict,
} from '#core/model/recording.ts';
import { defineRoute, headOf } from './define.ts';
import { body, eventStream, json, page, paging, pathId } from './shapes.ts';

const params = z.object({ id: pathId });

const RECORDING_REFUSALS = [
  'recording_not_found',
  'recording_file_missing',
  'instance_unreachable',
  'recording_store_unreachable',
  'recording_store_refused',
] as const;
const FILE_REFUSALS = [...RECORDING_REFUSALS, 'range_not_satisfiable', 'stale_etag'] as const;

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
  summary: 'List recordings: the caller’s own, or everybody’s for administrators',
  description:
    'Filter by server, user and time. While a recording is in progress, its size is that of the last update.',
  'x-access': 'user',
  'x-scope': 'read',
  request: { query: paging.extend(RecordingFilter.shape) },
  responses: { 200: page(Recording, 'Newest first') },
});

export const searchRecordings = defineRoute({
  operationId: 'recordings.search',
  'x-turn': 'own',
  method: 'post',
  path: '/api/recordings/search',
  tags: ['recordings'],
  summary: 'Search what terminals showed',
  description:
    'Server-sent events, each a `RecordingSearchEvent`, newest recordings first. A search ends after a minute or ' +
    '200 recordings with matches, and then says how to go on. Disconnecting ends it, and so does losing the right to it (`transfer_ended`). One at a time for each user. ' +
    'The audit log keeps the text.',
  'x-access': 'user',
  'x-scope': 'read',
  request: { body: body(RecordingSearch) },
  refuses: ['too_many_searches'],
  responses: {
    200: eventStream(RecordingSearchEvent, 'The events'),
  },
});

export const getRecording = defineRoute({
  operationId: 'recordings.get',
  method: 'get',
  path: '/api/recordings/{id}',
  tags: ['recordings'],
  summary: 'Get a recording',
  description: 'What is known about it, without its content.',
  'x-access': 'user',
  'x-scope': 'read',
  request: { params },
  refuses: ['recording_not_found'],
  responses: { 200: json(Recording, 'The recording') },
});

export const deleteRecording = defineRoute({
  operationId: 'recordings.delete',
  method: 'delete',
  path: '/api/recordings/{id}',
  tags: ['recordings'],
  summary: 'Delete a recording and its file',
  description:
    'The audit log keeps its hash and who deleted it. A recording in progress cannot be deleted (409). ' +
    'If the instance that has the file is not running, it deletes the file when it runs again.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params },
  refuses: [...RECORDING_REFUSALS, 'recording_in_progress'],
  responses: {
    204: { description: 'Deleted' },
  },
});

export const recordingTicket = defineRoute({
  operationId: 'recordings.ticket',
  method: 'post',
  path: '/api/recordings/{id}/ticket',
  tags: ['recordings'],
  summary: 'Create a ticket for the player and the files of one recording',
  description: 'Valid for 60 seconds, for links that the browser opens itself.',
  'x-access': 'user',
  'x-scope': 'read',
  request: { params },
  refuses: ['recording_not_found'],
  responses: { 200: json(Ticket, 'The ticket') },
});

export const recordingCast = defineRoute({
  operationId: 'recordings.cast',
  'x-turn': 'stream',
  method: 'get',
  path: '/api/recordings/{id}/cast',
  tags: ['recordings'],
  summary: 'Get the cast (asciicast v2, JSON Lines)',
  description: 'For a recording in progress: what has been written so far. Supports `Range`.',
  ...filePolicy,
  request: { params, query: fileQuery },
  refuses: FILE_REFUSALS,
  responses: {
    200: { description: 'The cast', content: { 'application/x-asciicast': { schema: CAST } } },
    206: { description: 'The requested range', content: { 'application/x-asciicast': { schema: CAST } } },
    304: { description: 'Not modified, compared with `If-None-Match`' },
  },
});

export const headCast = headOf(recordingCast, 'recordings.cast_head');

export const recordingDownload = defineRoute({
  operationId: 'recordings.download',
  'x-turn': 'stream',
  method: 'get',
  path: '/api/recordings/{id}/download',
  tags: ['recordings'],
  summary: 'Download the cast',
  description:
    'Like `recordings.cast`, but the browser saves it under a name that contains server and start.',
  ...filePolicy,
  request: { params, query: fileQuery },
  refuses: FILE_REFUSALS,
  responses: {
    200: { description: 'The cast', content: { 'application/x-asciicast': { schema: CAST } } },
    206: { description: 'The requested range', content: { 'application/x-asciicast': { schema: CAST } } },
    304: { description: 'Not modified, compared with `If-None-Match`' },
  },
});

export const headRecording = headOf(recordingDownload, 'recordings.download_head');

export const recordingText = defineRoute({
  operationId: 'recordings.text',
  'x-turn': 'own',
  method: 'get',
  path: '/api/recordings/{id}/text',
  tags: ['recordings'],
  summary: 'Get the recording as plain text',
  description:
    'As the terminal showed it, without control sequences. Full-screen programs leave nothing behind.',
  ...filePolicy,
  request: { params, query: fileQuery },
  refuses: [...RECORDING_REFUSALS, 'too_many_texts', 'download_unread'],
  responses: {
    200: { description: 'The text', content: { 'text/plain': { schema: z.string() } } },
  },
});

export const playRecording = defineRoute({
  operationId: 'recordings.play',
  method: 'get',
  path: '/api/recordings/{id}/play',
  tags: ['recordings'],
  summary: 'Player page',
  description: 'HTML with the bundled player; no request leaves the gateway.',
  ...filePolicy,
  request: { params, query: fileQuery },
  refuses: RECORDING_REFUSALS,
  responses: {
    200: {
      description: 'The page',
      content: { 'text/html': { schema: z.string() } },
      headers: z.object({
        'Referrer-Policy': z.string().describe('`no-referrer`'),
        'Cache-Control': z.string().describe('`private, no-store`'),
      }),
    },
  },
});

export const verifyRecording = defineRoute({
  operationId: 'recordings.verify',
  method: 'get',
  path: '/api/recordings/{id}/verify',
  tags: ['recordings'],
  summary: 'Compare the file with the hash in the audit log',
  description: 'To verify the audit log itself, use `audit.verify`.',
  'x-access': 'user',
  'x-scope': 'read',
  'x-long': true,
  request: { params },
  refuses: RECORDING_REFUSALS,
  responses: { 200: json(RecordingVerdict, 'The result') },
});
