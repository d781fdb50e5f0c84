import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditFilter, AuditRow, NewAuditRow } from '#core/model/audit/audit.ts';
import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { auditRows, chainRow } from '../../support/databases/rows.ts';
import { DIALECTS, describeEachStore, migratedDatabaseUrl } from '../../support/databases/stores.ts';

const second = (n: number) => new Date(Date.parse('2026-01-02T00:00:00.000Z') + n * 1000).toISOString();

/** The same rule applied to all entries in memory. */
function matches(row: NewAuditRow, filter: AuditFilter): boolean {
  const { username = row.username, action = row.action, via = row.via } = filter;
  const { search = '', searches = [], actions = row.action } = filter;
  const { address = '', since = '', until = '9' } = filter;
  const texts = [row.username, row.action, row.detail, row.ip_address].map((text) => text.toLowerCase());
  return (
    row.username.toLowerCase() === username.toLowerCase() &&
    row.action === action &&
    [actions].flat().includes(row.action) &&
    row.ip_address.startsWith(address) &&
    row.via === via &&
    row.created_at >= since &&
    row.created_at < until &&
    [search, ...[searches].flat()].every((one) => texts.some((text) => text.includes(one.toLowerCase())))
  );
}

function newerFirst(a: AuditRow, b: AuditRow): number {
  return Date.parse(b.created_at) - Date.parse(a.created_at) || b.id - a.id;
}

describeEachStore('audit pages', (fresh) => {
  async function prepare(changes: readonly Partial<NewAuditRow>[]) {
    const { audit } = createRepositories(await fresh.migrated());
    const entries = auditRows(changes);
    await audit.openChain(chainRow(), { chains: 1, signature: '' });
    await audit.append(entries, chainRow({ entries: entries.length }));
    const find = async (filter: AuditFilter) =>
      (await audit.page(filter, { limit: 100, offset: 0 })).map(({ id }) => id);
    const rows = entries.map((entry, i) => ({ id: i + 1, ...entry }));
    return { audit, find, rows };
  }

  it('contain whole entries, newest first', async () => {
    const at = [5, 1, 5, 9, 2].map((n) => ({ created_at: second(n) }));
    const { audit, find, rows } = await prepare(at);
    expect(await find({})).toEqual([4, 3, 1, 5, 2]);
    expect(await audit.page({}, { limit: 2, offset: 1 })).toEqual([rows[2], rows[0]]);
    expect(await audit.page({}, { limit: 2, offset: 5 })).toEqual([]);
    expect(await audit.count({})).toEqual({ total: 5, exact: true });
  });

  it('of a large log are counted by the heads of the chains, without removed entries', async () => {
    const store = await fresh.migrated();
    const large = createRepositories(store).audit;
    await large.openChain(chainRow(), { chains: 1, signature: '' });
    const [entry] = auditRows([{}]);
    if (entry) await large.append([entry], chainRow({ entries: 5_000_000 }));
    await store.db.update(store.tables.audit_entries).set({ id: 4_000_000 });
    const trim = { number: 1, until: second(0), removed_at: second(0), limits: '{}', signature: '' };
    await large.removeUpTo(
      { ...trim, cuts: '[["chain",1000,"x"]]' },
      { chain_id: 'chain', seq: 0, hash: '' },
    );
    expect(await large.count({})).toEqual({ total: 4_999_000, exact: true });
    expect(await large.count({ action: 'nothing' })).toEqual({ total: 0, exact: true });
  });

  it('near the end of a large log are read from there', async () => {
    const { audit } = createRepositories(await fresh.migrated());
    await audit.openChain(chainRow(), { chains: 1, signature: '' });
    const entries = auditRows([1, 2, 3, 4, 5].map((n) => ({ created_at: second(n) })));
    await audit.append(entries, chainRow({ entries: 100_000 })); // as if all others were newer
    const idsAt = async (offset: number) => (await audit.page({}, { limit: 3, offset })).map(({ id }) => id);
    expect(await idsAt(99_995)).toEqual([5, 4, 3]);
    expect(await idsAt(99_998)).toEqual([2, 1]);
    expect(await idsAt(100_000)).toEqual([]);
    expect(await audit.page({ action: 'login' }, { limit: 3, offset: 99_995 })).toEqual([]);
  });

  it('match a whole name ignoring case, and a whole action', async () => {
    const { audit, find } = await prepare([
      { username: 'JÜRGEN', action: 'login' },
      { username: 'jürgen', action: 'logout' },
      { username: 'jürgen 2', action: 'login' },
      { username: '', action: 'login_failed' },
    ]);
    expect(await find({ username: 'Ju\u0308rgen' })).toEqual([2, 1]);
    expect(await find({ username: 'JÜRGEN', action: 'login' })).toEqual([1]);
    expect(await find({ action: 'login' })).toEqual([3, 1]);
    expect(await find({ action: 'LOGIN' })).toEqual([]);
    expect(await find({ username: '' })).toEqual([4]);
    expect(await audit.count({ action: 'login' })).toEqual({ total: 2, exact: true });
  });

  it('match a transport, which older entries do not have', async () => {
    const { audit, find } = await prepare([{ via: 'page' }, {}, { via: 'api' }, { via: 'page' }]);
    expect(await find({ via: 'page' })).toEqual([4, 1]);
    expect(await find({ via: 'agent' })).toEqual([]);
    expect(await find({ via: 'api', search: 'log' })).toEqual([3]);
    expect(await audit.count({ via: 'page' })).toEqual({ total: 2, exact: true });
  });

  it('match times from `since` on and before `until`', async () => {
    const { find } = await prepare([1, 2, 3].map((n) => ({ created_at: second(n) })));
    expect(await find({ since: second(2) })).toEqual([3, 2]);
    expect(await find({ until: second(2) })).toEqual([1]);
    expect(await find({ since: second(2), until: second(3) })).toEqual([2]);
    expect(await find({ since: second(3), until: second(1) })).toEqual([]);
  });

  it('match the literal search text in each field, ignoring case', async () => {
    const { find } = await prepare([
      { username: 'Ärger', action: 'login', detail: '100% "done"', ip_address: '192.0.2.1' },
      { username: 'other', action: 'sftp_download', detail: "o'hara_x\\y", ip_address: '2001:DB8::1' },
      { username: 'third', action: 'logout', detail: 'a OR b NOT (c) 漢字🔑漢', ip_address: '' },
    ]);
    const found = [
      ['ärg', [1]],
      ['LOG', [3, 1]],
      ['% "D', [1]],
      ['%', [1]],
      ['_', [2]],
      ["'HARA_X\\", [2]],
      ['db8::', [2]],
      ['ab', []],
      ['1', [2, 1]],
      ['or b not (', [3]],
      ['漢字🔑', [3]],
      ['字🔑漢', [3]],
      ['🔑', [3]],
      ['log in', []],
      ['lo*', []],
      ['', [3, 2, 1]],
      ['x'.repeat(200), []],
      ['İ'.repeat(200), []],
      ['\0', []],
      ['\ud800ab', []],
    ] as const;
    for (const [search, ids] of found) expect([search, await find({ search })]).toEqual([search, ids]);
  });

  it('follow each other without a gap', async () => {
    const { audit, rows } = await prepare([5, 1, 5, 9, 2].map((n) => ({ created_at: second(n) })));
    for (const filter of [{}, { search: 'admin' }, { search: 'ad' }]) {
      const seen: AuditRow[] = [];
      for (let part = await audit.following(filter, undefined, 2); part.length > 0; ) {
        seen.push(...part);
        part = await audit.following(filter, part.at(-1), 2);
      }
      expect(seen).toEqual([rows[3], rows[2], rows[0], rows[4], rows[1]]);
    }
  });
});

describe.each(DIALECTS)('audit pages of many entries (%s)', (dialect) => {
  const COUNT = 24_000;
  const VIAS = ['page', 'api', 'api', 'embed'];
  const ACTIONS = ['login', 'login_failed', 'terminal_open', 'sftp_download'];
  const changes = Array.from({ length: COUNT }, (_, i) => ({
    username: i % 7 === 0 ? 'Rare' : `User-${i % 3}`,
    action: ACTIONS[i % 4] ?? '',
    via: VIAS[i % 11] ?? null,
    detail: i < 30 ? `legacy ${i}` : `server web-${i % 100}`,
    // Two instances, one of which writes a little later than the other.
    created_at: second(i % 2 ? i : Math.max(0, i - 40)),
  }));

  let audit: AuditRepository;
  let all: AuditRow[]; // the tests only read
  let remove = async () => {};

  beforeAll(async () => {
    const database = await migratedDatabaseUrl(dialect);
    const store = openStore(database.url);
    remove = async () => {
      await store.close();
      await database.cleanup();
    };
    ({ audit } = createRepositories(store));
    const entries = auditRows(changes);
    await audit.openChain(chainRow(), { chains: 1, signature: '' });
    for (let i = 0; i < COUNT; i += 4_000) await audit.append(entries.slice(i, i + 4_000), chainRow());
    all = entries.map((entry, i) => ({ id: i + 1, ...entry })).sort(newerFirst);
  }, 180_000);
  afterAll(() => remove());

  const FILTERS: AuditFilter[] = [
    {},
    { username: 'user-1' },
    { action: 'login', since: second(9_000), until: second(20_000) },
    { via: 'embed' },
    { via: 'api', username: 'rare' },
    { via: 'api', action: 'login', since: second(9_000) },
    { via: 'api', username: 'user-1', action: 'login' },
    { via: 'agent' },
    { via: 'agent', search: 'server' },
    { via: 'api', search: 'server' },
    { via: 'page', search: 'web-42', username: 'user-1' },
    { search: 'login' },
    { search: 'web-42' },
    { search: 'legacy' },
    { search: 'legacy 7' },
    { search: 'nothing like it' },
    { search: 'user-1', username: 'USER-1' },
    { search: 'user-1', username: 'user-2' },
    { search: 'login', action: 'terminal_open' },
    { search: 'user-2', action: 'terminal_open' },
    { search: 'web-1', username: 'rare', action: 'login' },
    { search: 'server', since: second(3_000), until: second(15_000) },
    { search: 'server', until: second(11_000), username: 'user-0' },
    { search: 'server', since: second(23_990) },
    { search: 'server', since: second(99_000) },
    { searches: ['web-4', 'login'] },
    { searches: ['web-1', 'server', 'b-'], username: 'user-1' },
    { searches: ['web', 'web-', 'eb-', 'server', 'erv', 'er', 'v', 'log', 'in', 'ser'] },
    { searches: ['we', 'se', 'lo'], username: 'rare' },
    { actions: ['login', 'terminal_open'], since: second(9_000) },
    { actions: ['login', 'terminal_open'], search: 'web-42' },
    { actions: 'login', searches: 'web-42' },
    { address: '192.0.2', search: 'web-42' },
    { address: '2.0.2' },
  ];

  /** Each at its start, middle and end. */
  async function expectPages(filter: AuditFilter, rows: AuditRow[]) {
    for (const offset of [0, Math.floor(rows.length / 2), Math.max(0, rows.length - 20)]) {
      const expected = rows.slice(offset, offset + 50);
      expect([filter, await audit.page(filter, { limit: 50, offset })]).toEqual([filter, expected]);
      const after = await audit.following(filter, rows[offset], 50);
      expect([filter, after]).toEqual([filter, rows.slice(offset + 1, offset + 51)]);
    }
  }

  it('match the filter for each entry, and so does the count', { timeout: 300_000 }, async () => {
    for (const filter of FILTERS) {
      const rows = all.filter((row) => matches(row, filter));
      await expectPages(filter, rows);
      const { total, exact } = await audit.count(filter);
      if (exact) expect([filter, total]).toEqual([filter, rows.length]);
      else {
        expect(filter.search ?? filter.searches ?? filter.address).toBeDefined();
        expect(total).toBeLessThanOrEqual(Math.min(rows.length, 10_000));
        expect(rows.length).toBeGreaterThan(3_000);
      }
    }
  });

  it('search only the newest entries for one or two characters', { timeout: 180_000 }, async () => {
    const newest = all.filter((row) => matches(row, { search: 'b-' })).slice(0, 50);
    expect(await audit.page({ search: 'b-' }, { limit: 50, offset: 0 })).toEqual(newest);
    const { total, exact } = await audit.count({ search: 'b-' });
    expect(exact).toBe(false);
    expect(total).toBeGreaterThan(5_000);
    const both = await audit.count({ searches: ['b-', 'in', 'er'] });
    expect(both.exact).toBe(false);
    expect(await audit.following({ search: '~~' }, undefined, 50)).toEqual([]);
    expect(await audit.page({ search: '~~' }, { limit: 50, offset: 0 })).toEqual([]);
    expect(await audit.count({ search: '~~' })).toEqual({ total: 0, exact: false });
  });
});
