import { z } from '@hono/zod-openapi';
import { Snippet, SnippetInput, SnippetPatch } from '#core/model/snippet.ts';
import { defineRoute } from './define.ts';
import { body, json, pathId, refusal } from './shapes.ts';

const params = z.object({ id: pathId });
const unknown = refusal('Unknown, or somebody else’s');
const adminOnly = refusal('`shared` is for administrators to set');

export const listSnippets = defineRoute({
  operationId: 'snippets.list',
  method: 'get',
  path: '/api/snippets',
  tags: ['snippets'],
  summary: 'Own snippets and shared ones',
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
  responses: { 201: json(Snippet, 'Created'), 403: adminOnly, 409: refusal('Too many') },
});

export const updateSnippet = defineRoute({
  operationId: 'snippets.update',
  method: 'put',
  path: '/api/snippets/{id}',
  tags: ['snippets'],
  summary: 'Change a snippet: an own one, or as an administrator a shared one',
  description: 'What is absent stays.',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params, body: body(SnippetPatch) },
  responses: { 200: json(Snippet, 'As it is now'), 403: adminOnly, 404: unknown },
});

export const deleteSnippet = defineRoute({
  operationId: 'snippets.delete',
  method: 'delete',
  path: '/api/snippets/{id}',
  tags: ['snippets'],
  summary: 'Delete a snippet: an own one, or as an administrator a shared one',
  'x-access': 'user',
  'x-scope': 'terminal',
  request: { params },
  responses: { 204: { description: 'Deleted' }, 404: unknown },
});
