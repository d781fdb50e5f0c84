import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AuditAction, type AuditFilter } from '#core/model/audit/audit.ts';
import { migrate } from '#db/migrate/apply.ts';
import { openStore } from '#db/open-store.ts';
import { toSearchKey } from '#db/repositories/audit/entries.ts';
import { toFacets } from '#db/repositories/audit/trigrams.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { median } from './measure.ts';

const ENTRIES = 1_000_000;
const ROUNDS = 7;
const BEGIN = Date.parse('2025-01-01T00:00:00.000Z');
const STEP_MS = 31_536; // So that they fill a year.
const OLD = 20_000; // The first ones say `legacy-host`, later ones do not.
const QUARTER = { since: '2025-04-01T00:00:00.000Z', until: '2025-07-01T00:00:00.000Z' };
const silent = { debug() {}, info() {}, warn() {} };

const FILTERS: readonly AuditFilter[] = [
  {},
  { username: 'USER-00' },
  { username: 'user-44' },
  { username: 'nobody' },
  { action: 'api_key_create' },
  { action: 'user_update' },
  { action: 'nothing' },
  { username: 'user-00', action: 'api_key_create' },
  { username: 'user-44', action: 'login' },
  { since: '2024-01-01T00:00:00.000Z' },
  { until: '2025-02-01T00:00:00.000Z' },
  QUARTER,
  { ...QUARTER, username: 'user-00' },
  { ...QUARTER, action: 'audit_export' },
  { ...QUARTER, username: 'user-00', action: 'audit_export' },
  { search: 'user' },
  { search: 'login' },
  { search: 'Login_Failed' },
  { search: 'prod-web-29' },
  { search: 'report-98765' },
  { search: '10.0.0.99' },
  { search: '10.0.1' },
  { search: 'legacy-host' },
  { search: 'legacy-host-7 ' },
  { search: 'zzz' },
  { search: 'not there at all' },
  { search: 'x'.repeat(200) },
  { search: 'us' },
  { search: 'zz' },
  { search: '%' },
  { search: 'login', action: 'api_key_revoke' },
  { search: 'login', action: 'login' },
  { search: 'user-00', username: 'user-01' },
  { search: 'user-0', username: 'user-00', action: 'api_key_create' },
  { search: 'prod-web', username: 'user-00', action: 'login' },
  { search: 'prod-web', username: 'user-00' },
  { search: 'prod-web', username: 'user-44' },
  { search: 'legacy-host', username: 'user-00' },
  { search: 'legacy-host', ...QUARTER },
  { search: 'prod-web', ...QUARTER },
  { search: 'login', until: '2025-02-01T00:00:00.000Z', username: 'user-00' },
  { search: 'zz', username: 'user-00' },
  { search: 'server', since: '2025-12-31T00:00:00.000Z' },
];

/** The same numbers in every run. */
function createRandom(seed: number) {
  let state = seed;
  const unit = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
  /** Small numbers much more often than large ones. */
  const uneven = (below: number) => Math.min(below - 1, Math.floor(below ** unit()) - 1);
  return { even: (below: number) => Math.floor(unit() * below), uneven };
}

function* createEntries() {
  const { even, uneven } = createRandom(7);
  for (let i = 0; i < ENTRIES; i += 1) {
    const user = Math.max(0, uneven(80));
    const username = `User-${String(user).padStart(2, '0')}`;
    const action = AuditAction.options[Math.max(0, uneven(26))] ?? 'login';
    const file = `server prod-web-${uneven(300)} /srv/data/report-${even(100_000)}.csv`;
    const detail = i < OLD ? `legacy-host-${i % 50} shell` : file;
    const ip_address = `10.${user}.${uneven(200)}.${uneven(250)}`;
    const created_at = new Date(BEGIN + i * STEP_MS).toISOString();
    const record = { user_id: user + 1, username, action, detail, ip_address, created_at };
    const username_key = username.toLowerCase();
    const keys = { username_key, search_key: toSearchKey(record), facets: toFacets(username_key, action) };
    yield { ...record, ...keys, chain_id: 'chain', seq: i + 1, hash: i.toString(16).padStart(64, '0') };
  }
}

/** Without the trigger; the next migration rebuilds its index at once. */
function fill(path: string): void {
  const client = new Database(path);
  client.pragma('synchronous = OFF');
  client.exec('drop trigger audit_search');
  const columns =
    'user_id, username, action, detail, ip_address, created_at, username_key, search_key, facets, chain_id, seq, hash';
  const values = columns.replaceAll(/\w+/g, '@$&');
  const insert = client.prepare(`insert into audit_entries (${columns}) values (${values})`);
  client.transaction(() => {
    for (const entry of createEntries()) insert.run(entry);
  })();
  client.close();
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-audit-'));
try {
  const path = join(folder, 'sallyport.db');
  const first = openStore(path);
  await migrate(first, silent);
  await first.close();
  fill(path);
  const store = openStore(path);
  await migrate(store, silent);
  const { audit } = createRepositories(store);

  let longest = 0;
  for (const filter of FILTERS) {
    const times: number[] = [];
    let answer = '';
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now();
      const page = await audit.page(filter, { limit: 100, offset: 0 });
      const { total, exact } = await audit.count(filter);
      times.push(performance.now() - start);
      answer = `${page.length} of ${total}${exact ? '' : ' or more'}`;
    }
    longest = Math.max(longest, ...times);
    const figures = [median(times), Math.max(...times)].map((ms) => ms.toFixed(1).padStart(6)).join(' ');
    console.log(`${figures} ms  ${answer.padEnd(24)} ${JSON.stringify(filter)}`);
  }
  const size = statSync(path).size + statSync(`${path}-wal`).size;
  console.log(`longest ${longest.toFixed(1)} ms; ${(size / 1e6).toFixed(0)} MB for ${ENTRIES} entries`);
  await store.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
