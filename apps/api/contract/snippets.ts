import { z } from '@hono/zod-openapi';
import { Snippet, SnippetInput, SnippetPatch } from '#core/model/snippet.ts';
import { defineRoute } from './define.ts';
import { body, json, pathId, refusal } from './shapes.ts';

const params = z.object({ id: pathId });
const unknown = refusal('Unknown, or owned by somebody else');
const adminOnly = refusal('Only administrators may set `shared`');

export const listSnippets = defineRoute({
  operationId: 'snippets.list',
  method: 'get',
  path: '/api/snippets',
  tags: ['snippets'],
  summary: 'List own and shared snippets',
  'x-access': 'user',
  'x-scope': 'read',
  responses: { 200: json(z.array(Snippet), 'By name') },
});

export const createSnippet = defineRoute({
  operationId: 'snippets.create',
  method: 'post',
  path: '/api/snippets',
  tags: ['snippets'],
  summary: 'Create a snippet',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { body: body(SnippetInput) },
  responses: {
    201: json(Snippet, 'Created'),
    403: adminOnly,
    409: refusal('The user has too many snippets'),
  },
});

export const updateSnippet = defineRoute({
  operationId: 'snippets.update',
  method: 'put',
  path: '/api/snippets/{id}',
  tags: ['snippets'],
  summary: 'Change an own snippet, or a shared one as an administrator',
  description: 'Absent fields stay as they are.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params, body: body(SnippetPatch) },
  responses: { 200: json(Snippet, 'The changed snippet'), 403: adminOnly, 404: unknown },
});

export const deleteSnippet = defineRoute({
  operationId: 'snippets.delete',
  method: 'delete',
  path: '/api/snippets/{id}',
  tags: ['snippets'],
  summary: 'Delete an own snippet, or a shared one as an administrator',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params },
  responses: { 204: { description: 'Deleted' }, 404: unknown },
});
