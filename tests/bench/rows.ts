import postgres from 'postgres';
import { migrate } from '#db/migrate/apply.ts';
import { openPostgres } from '#db/open-postgres.ts';
import { addLargeIndexes } from '#db/postgres-large-indexes.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { startPostgres } from '../support/databases/postgres.ts';
import { median, row } from './measure.ts';
import { measureVerification } from './measures/verification.ts';
import { IS_QUICK } from './quick.ts';
import { report } from './report.ts';

const SHARE = IS_QUICK ? 0.1 : 1;
const ENTRIES = 2_000_000 * SHARE;
const RECORDINGS = 200_000 * SHARE;
const USERS = 20_000 * SHARE;
const VERIFIED = 500_000 * SHARE;
const ROUNDS = 5;
const WANTED_MS = 100;
const PAGE = { limit: 100, offset: 0 };
const silent = { debug() {}, info() {}, warn() {} };

const FILL = [
  `insert into users (username, username_key, is_admin, disabled, must_change_password, totp_enabled, allowed_groups, source, created_at)
    select 'user-' || i, 'user-' || i, false, false, false, false, '["ops"]', 'local', now() from generate_series(1, ${USERS}) i`,
  `insert into recordings (run_id, user_id, username, username_key, server_name, search_key, started_at, ended_at, duration_s,
      size_bytes, file_path, status)
    select 'run', 1 + i % 400, 'user-' || i % 400, 'user-' || i % 400, 'web-' || i % 900, 'web-' || i % 900 || chr(10) || 'user-' || i % 400,
      timestamptz '2025-01-01' + i * interval '150 s', timestamptz '2025-01-01' + i * interval '151 s', 60, 4096,
      '2025/' || i || '.cast', 'finished' from generate_series(1, ${RECORDINGS}) i`,
  `insert into audit_chains (id, number, instance_id, started_at, entries, last_hash, witness, signature)
    values ('chain', 1, 'instance', now(), ${ENTRIES}, '', '[]', '')`,
  `insert into audit_entries (chain_id, seq, user_id, username, username_key, action, detail, ip_address, created_at, hash, search_key, facets)
    select 'chain', i, 1, name, name, action, detail, '10.0.0.1', timestamptz '2025-01-01' + i * interval '15 s', md5(i::text),
      name || chr(10) || action || chr(10) || detail || chr(10) || '10.0.0.1', ''
    from generate_series(1, ${ENTRIES}) i,
      lateral (select 'user-' || i % 400 as name, (array['login', 'sftp_download', 'terminal_open', 'sftp_upload'])[1 + i % 4] as action,
        'server prod-web-' || i % 300 || ' /srv/data/report-' || i % 100003 || '.csv' as detail) as made`,
  'vacuum analyze',
];

const server = await startPostgres();
const store = openPostgres(server.url);
const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
try {
  await migrate(store, silent);
  for (const statement of FILL) await admin.unsafe(statement);
  await addLargeIndexes(admin, silent);
  const { audit, recordings, users } = createRepositories(store);
  const deep = { ...PAGE, offset: RECORDINGS * 0.75 };
  const everybody = { user_id: undefined };
  const auditList = (filter: Parameters<typeof audit.page>[0], paging = PAGE) =>
    Promise.all([audit.page(filter, paging), audit.count(filter)]);
  const recordingList = (filter: Parameters<typeof recordings.page>[0], paging = PAGE) =>
    Promise.all([recordings.page(filter, paging), recordings.count(filter)]);
  const lists: Readonly<Record<string, () => Promise<unknown>>> = {
    'audit log, newest': () => auditList({}),
    'audit log, in the middle': () => auditList({}, { ...PAGE, offset: ENTRIES / 2 }),
    'audit log, last page': () => auditList({}, { ...PAGE, offset: ENTRIES - PAGE.limit }),
    'audit log, one user': () => auditList({ username: 'user-7' }),
    'audit log, one action': () => auditList({ action: 'login' }),
    'audit search, in all entries': () => auditList({ search: 'prod-web' }),
    'audit search, in a few entries': () => auditList({ search: 'report-77777' }),
    'audit search, in none': () => auditList({ search: 'no such text' }),
    'audit search, two letters': () => auditList({ search: 'we' }),
    'audit search, one user': () => auditList({ search: 'prod-web-29', username: 'user-7' }),
    'recordings, newest': () => recordingList(everybody),
    'recordings, at three quarters': () => recordingList(everybody, deep),
    'recordings, one user': () => recordingList({ user_id: 7 }),
    'recordings, search': () => recordingList({ ...everybody, search: 'web-77' }),
    'users, a page of 500': () => Promise.all([users.list({ limit: 500, offset: 0 }), users.count()]),
    'users, last page': () => Promise.all([users.list({ limit: 500, offset: USERS - 500 }), users.count()]),
  };
  const rows = [];
  for (const [what, list] of Object.entries(lists)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now();
      await list();
      times.push(performance.now() - start);
    }
    rows.push(row(what, 'ms', { ours: median(times), want: `<= ${WANTED_MS} ms` }));
  }
  await admin.unsafe('create database verified');
  const verified = openPostgres(server.url.replace(/[^/]*$/, 'verified'));
  rows.push(...(await measureVerification(verified, VERIFIED)));
  await verified.close();
  report('rows', rows);
} finally {
  await store.close();
  await admin.end();
  await server.stop();
}
