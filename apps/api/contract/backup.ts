import {
  BackupBundle,
  BackupExport,
  BackupReport,
  BackupRestore,
  MOST_BUNDLE_MIB,
} from '#core/model/backup.ts';
import { defineRoute } from './define.ts';
import { body, json, refusal } from './shapes.ts';

const admin = { 'x-access': 'admin', 'x-scope': 'session', 'x-long': true } as const;
const rate = { limit: 10, window_s: 60, by: 'user' } as const;

export const exportBackup = defineRoute({
  operationId: 'backups.export',
  method: 'post',
  path: '/api/backup/export',
  tags: ['backup'],
  summary: 'Everything that makes this gateway, encrypted under a passphrase',
  description:
    'Servers with credentials and pins, users with hashes and second factors, digests of API keys, host keys pinned by ' +
    'quick connect, webhooks, snippets, settings, branding. Independent of `SERVICE_SECRET_KEY` and of the database.',
  ...admin,
  'x-rate': { name: 'backup', ...rate },
  request: { body: body(BackupExport) },
  responses: {
    200: json(BackupBundle, 'The bundle'),
    413: refusal('Too large with the audit log'),
  },
});

export const restoreBackup = defineRoute({
  operationId: 'backups.restore',
  method: 'post',
  path: '/api/backup/restore',
  tags: ['backup'],
  summary: 'Restore a bundle: all of it or nothing',
  description:
    'With `replace`, the caller’s own account stays and stays an administrator, whatever the bundle says.',
  ...admin,
  'x-rate': { name: 'restore', ...rate },
  'x-body-limit': MOST_BUNDLE_MIB,
  request: { body: body(BackupRestore) },
  responses: {
    200: json(BackupReport, 'What was done, or would be'),
    400: refusal('Wrong passphrase, or changed'),
    409: refusal('Changed meanwhile, again and again: try later'),
    413: refusal('Too large'),
    422: refusal('No bundle, damaged, of a newer version, or of content that is not allowed'),
  },
});
