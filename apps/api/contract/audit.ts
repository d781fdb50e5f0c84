import { z } from '@hono/zod-openapi';
import {
  AuditAction,
  AuditExcess,
  AuditFilter,
  AuditRetentionQuery,
  AuditVerdict,
  ListedAuditEntry,
} from '#core/model/audit/audit.ts';
import {
  AuditVerificationEvent,
  AuditVerificationQuery,
  AuditVerificationStatus,
} from '#core/model/audit/verification.ts';
import { defineRoute } from './define.ts';
import { json, page, paging } from './shapes.ts';

export const listAudit = defineRoute({
  operationId: 'audit.list',
  method: 'get',
  path: '/api/auth/audit',
  tags: ['audit'],
  summary: 'List audit entries',
  description:
    'With `search`, the total stops counting at 10,000; `X-Total-Count-Exact` is then `false`. A ' +
    'search of one or two characters covers the newest 10,000 entries only.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { query: AuditFilter.extend(paging.shape) },
  responses: { 200: page(ListedAuditEntry, 'Newest first') },
});

export const auditActions = defineRoute({
  operationId: 'audit.actions',
  method: 'get',
  path: '/api/auth/audit/actions',
  tags: ['audit'],
  summary: 'List the recorded actions',
  description: 'For a filter: every action that can occur in the log.',
  'x-access': 'admin',
  'x-scope': 'admin',
  responses: { 200: json(z.array(AuditAction), 'Alphabetical') },
});

export const exportAudit = defineRoute({
  operationId: 'audit.export',
  'x-turn': 'stream',
  method: 'get',
  path: '/api/auth/audit/export',
  tags: ['audit'],
  summary: 'Export the matching entries as a file',
  description:
    'Streamed, newest first. In CSV (RFC 4180), a cell that a spreadsheet would read as a formula ' +
    'starts with an apostrophe.',
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
  'x-turn': 'own',
  method: 'get',
  path: '/api/auth/audit/verify',
  tags: ['audit'],
  summary: 'Verify the audit log',
  description:
    'Each instance chains its entries with SHA-256 and signs the head of its chain with a key ' +
    'derived from `SERVICE_SECRET_KEY`. Reads the whole log, or with `from=checkpoint` what the last verification did ' +
    'not: only the former finds a change of what was verified before. With `Accept: text/event-stream`, each event ' +
    '`verification` is an `AuditVerificationEvent`. Disconnecting stops it; it can be continued from where it was.',
  'x-access': 'admin',
  'x-scope': 'admin',
  'x-rate': { name: 'audit_verify', limit: 10, window_s: 60, by: 'user' },
  request: { query: AuditVerificationQuery },
  responses: {
    200: {
      description: 'The result; or, as events, the progress',
      content: {
        'application/json': { schema: AuditVerdict },
        'text/event-stream': { schema: AuditVerificationEvent },
      },
    },
  },
});

export const auditVerified = defineRoute({
  operationId: 'audit.verified',
  method: 'get',
  path: '/api/auth/audit/verified',
  tags: ['audit'],
  summary: 'Say how far the last verification got',
  description: 'Verifies nothing.',
  'x-access': 'admin',
  'x-scope': 'admin',
  responses: { 200: json(AuditVerificationStatus, 'The last verification') },
});

export const auditExcess = defineRoute({
  operationId: 'audit.excess',
  'x-turn': 'own',
  method: 'get',
  path: '/api/auth/audit/excess',
  tags: ['audit'],
  summary: 'Say what retention would remove with these limits',
  description:
    'Removes nothing. Limits act no earlier than 24 hours after they are saved, on whole hours, and never on an entry ' +
    'younger than 24 hours. Nothing is removed from a log that fails its verification.',
  'x-access': 'admin',
  'x-scope': 'admin',
  'x-rate': { name: 'audit_excess', limit: 10, window_s: 60, by: 'user' },
  request: { query: AuditRetentionQuery },
  responses: { 200: json(AuditExcess, 'What would be removed') },
});
