import { postgresKit as kit } from '#db/kit/postgres.ts';
import { migrate } from '#db/migrate/apply.ts';
import type { Store } from '#db/store.ts';
import { silent } from '../databases/stores.ts';
import { type Actor, USER_PASSWORD } from './gateway.ts';

/** What a version after this one might add: columns to every table, and a table. Through the real migration. */
export async function migrateFurther(store: Store): Promise<void> {
  const { schema_migrations, ...tables } = store.tables;
  const added = () => ({ later_note: kit.text(), later_count: kit.int().notNull().default(7) });
  const later = Object.keys(tables).map((name) => [name, kit.table(name, added())]);
  const later_things = kit.table('later_things', { id: kit.id(), ...added() });
  await migrate(
    { ...store, tables: { ...Object.fromEntries(later), later_things, schema_migrations } },
    silent,
  );
}

/** Writes to and reads from nearly every table; the statuses of the answers that are not as expected. */
export async function useEverything(admin: Actor, server_id: number): Promise<string[]> {
  const hook = { name: 'extra', url: 'http://127.0.0.1:1/', events: ['user_login'] };
  const requests: [status: number, method: string, path: string, body?: object][] = [
    [201, 'POST', '/api/auth/users', { username: 'carl', password: USER_PASSWORD }],
    [201, 'POST', '/api/auth/api-keys', { name: 'another' }],
    [201, 'POST', '/api/snippets', { name: 'disk', command: 'df -h' }],
    [201, 'POST', '/api/webhooks', hook],
    [200, 'PUT', '/api/settings', { values: { session_timeout: 1800 } }],
    [200, 'PUT', '/api/branding', { app_name: 'Halfway' }],
    [200, 'PUT', `/api/servers/${server_id}`, { description: 'in the middle of an upgrade' }],
    [200, 'POST', `/api/servers/${server_id}/test`],
    [200, 'POST', '/api/backup/export', { passphrase: 'a long enough passphrase', include_audit: true }],
    [200, 'GET', '/api/auth/users'],
    [200, 'GET', '/api/auth/sessions'],
    [200, 'GET', '/api/servers/status'],
    [200, 'GET', '/api/recordings'],
    [200, 'GET', '/api/terminal/sessions'],
    [200, 'GET', '/api/overview'],
    [200, 'GET', '/api/agent/status'],
    [200, 'GET', '/api/auth/audit?search=halfway'],
    [200, 'GET', '/api/auth/audit/verify'],
  ];
  const unexpected: string[] = [];
  for (const [expected, method, path, body] of requests) {
    const { status, body: answer } = await admin.call(method, path, body);
    if (status !== expected) unexpected.push(`${status} ${method} ${path} ${JSON.stringify(answer)}`);
  }
  return unexpected;
}
