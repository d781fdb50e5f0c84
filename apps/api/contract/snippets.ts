import { z } from '@hono/zod-openapi';
import { Snippet, SnippetInput, SnippetPatch } from '#core/model/snippet.ts';
import { defineRoute } from './define.ts';
import { body, json, pathId } from './shapes.ts';

const params = z.object({ id: pathId });

export const listSnippets = defineRoute({
  operationId: 'snippets.list',
  method: 'get',
  path: '/api/snippets',
  tags: ['snippets'],
  summary: 'List own and shared snippets',
  description: '`owned` marks the caller’s own.',
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
  description:
    'Only administrators can set `shared`. `{name}` in the command is a placeholder that the page asks for.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { body: body(SnippetInput) },
  refuses: ['admin_only', 'too_many_snippets'],
  responses: {
    201: json(Snippet, 'Created'),
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
  refuses: ['admin_only', 'snippet_not_found'],
  responses: { 200: json(Snippet, 'The changed snippet') },
});

export const deleteSnippet = defineRoute({
  operationId: 'snippets.delete',
  method: 'delete',
  path: '/api/snippets/{id}',
  tags: ['snippets'],
  summary: 'Delete an own snippet, or a shared one as an administrator',
  description: 'A shared snippet disappears for everybody.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params },
  refuses: ['admin_only', 'snippet_not_found'],
  responses: { 204: { description: 'Deleted' } },
});
