import { z } from '@hono/zod-openapi';
import { AuditAction, AuditEntry, AuditFilter, AuditVerdict } from '#core/model/audit.ts';
import { defineRoute } from './define.ts';
import { json, page, paging } from './shapes.ts';

export const listAudit = defineRoute({
  operationId: 'audit.list',
  method: 'get',
  path: '/api/auth/audit',
  tags: ['audit'],
  summary: 'What was done, by whom, from where',
  description:
    'With `search`, the total counts no further than 10,000: then `X-Total-Count-Exact` is `false` and there are at least ' +
    'as many. A search of one or two characters looks at the newest 10,000 entries.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { query: AuditFilter.extend(paging.shape) },
  responses: { 200: page(AuditEntry, 'The newest first') },
});

export const auditActions = defineRoute({
  operationId: 'audit.actions',
  method: 'get',
  path: '/api/auth/audit/actions',
  tags: ['audit'],
  summary: 'Every action that is recorded',
  'x-access': 'admin',
  'x-scope': 'admin',
  responses: { 200: json(z.array(AuditAction), 'In alphabetical order') },
});

export const exportAudit = defineRoute({
  operationId: 'audit.export',
  method: 'get',
  path: '/api/auth/audit/export',
  tags: ['audit'],
  summary: 'All entries that match, as a file',
  description:
    'Streamed, the newest first. In CSV (RFC 4180) a cell that a spreadsheet would take for a formula begins with an apostrophe.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { query: AuditFilter.extend({ format: z.enum(['csv', 'ndjson']).default('csv') }) },
  responses: {
    200: {
      description: 'The file',
      content: {
        'text/csv': { schema: z.string() },
        'application/x-ndjson': { schema: z.string() },
      },
    },
  },
});

export const verifyAudit = defineRoute({
  operationId: 'audit.verify',
  method: 'get',
  path: '/api/auth/audit/verify',
  tags: ['audit'],
  summary: 'Whether the log is as it was written',
  description:
    'Each instance chains its entries by SHA-256 and signs the head of its chain with a key made from `SERVICE_SECRET_KEY`. ' +
    'Reads the whole log: about fifteen seconds for a million entries.',
  'x-access': 'admin',
  'x-scope': 'admin',
  'x-rate': { name: 'audit_verify', limit: 10, window_s: 60, by: 'user' },
  responses: { 200: json(AuditVerdict, 'The verdict') },
});
