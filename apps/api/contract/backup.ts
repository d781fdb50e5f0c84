import { MOST_BUNDLE_MIB } from '#core/limits.ts';
import { BackupBundle, BackupExport, BackupReport, BackupRestore } from '#core/model/backup/backup.ts';
import { defineRoute } from './define.ts';
import { body, json } from './shapes.ts';

const admin = { 'x-access': 'admin', 'x-scope': 'session', 'x-fresh': true, 'x-long': true } as const;
const rate = { limit: 10, window_s: 60, by: 'user' } as const;

export const exportBackup = defineRoute({
  operationId: 'backups.export',
  'x-turn': 'own',
  'x-while-full': true,
  method: 'post',
  path: '/api/backup/export',
  tags: ['backup'],
  summary: 'Export everything that is configured, encrypted with a passphrase',
  description:
    'Servers with credentials and pinned host keys, users with password hashes and second factors, ' +
    'digests of API keys, host keys pinned by quick connect, webhooks, snippets, settings and ' +
    'branding. Depends neither on `SERVICE_SECRET_KEY` nor on the database.',
  ...admin,
  'x-rate': { name: 'backup', ...rate },
  request: { body: body(BackupExport) },
  refuses: ['backup_too_large', 'backup_busy', 'overloaded'],
  responses: {
    200: json(BackupBundle, 'The bundle'),
  },
});

export const restoreBackup = defineRoute({
  operationId: 'backups.restore',
  'x-turn': 'own',
  method: 'post',
  path: '/api/backup/restore',
  tags: ['backup'],
  summary: 'Restore a bundle, all or nothing',
  description:
    'With `replace`, the caller’s own account is kept and remains an administrator, whatever the ' +
    'bundle contains.',
  ...admin,
  'x-rate': { name: 'restore', ...rate },
  'x-body-limit': MOST_BUNDLE_MIB,
  request: { body: body(BackupRestore) },
  refuses: [
    'backup_passphrase',
    'backup_unreadable',
    'backup_too_new',
    'backup_too_large',
    'backup_busy',
    'backup_overtaken',
    'last_admin',
    'jump_cycle',
    'jump_too_deep',
    'jump_host_unknown',
    'too_many_webhooks',
    'too_many_keys',
    'too_many_snippets',
    'image_unreadable',
    'overloaded',
  ],
  responses: {
    200: json(BackupReport, 'What was changed, or would be changed'),
  },
});
