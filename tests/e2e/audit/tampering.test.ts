import { eq, gt, inArray } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditChain } from '#core/audit/chain/appends.ts';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import { createAuditSeal, hashOfEntry } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import type { AuditChainRow, AuditEntry, AuditVerdict } from '#core/model/audit/audit.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Dialect, Store } from '#db/store.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord, auditRows } from '../../support/features/audit.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  describeEachGateway,
  SECRET_KEY,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';

type Row = Awaited<ReturnType<typeof auditRows>>[number];

/** The log of an attacker who can write to the database and has no secret key. */
interface Log {
  readonly store: Store;
  /** Entries of the attacked chain, by position. */
  readonly rows: readonly Row[];
  readonly head: AuditChainRow;
  /** The chain of another instance, between two others. */
  readonly other: AuditChainRow;
  readonly last: AuditChainRow;
}

interface Expected {
  readonly first_bad_id: number | null;
  readonly reason: AuditVerdict['reason'];
}

type Tampering = (log: Log) => Promise<Expected>;

/** Edits the row at this position, counted from the end if negative. */
function rowAt({ rows }: Log, place: number): Row {
  const row = rows.at(place);
  if (!row) throw new Error(`No row ${place}`);
  return row;
}

function edit({ store }: Log, id: number, set: Partial<Row>) {
  const { audit_entries } = store.tables;
  return store.db.update(audit_entries).set(set).where(eq(audit_entries.id, id));
}

function remove({ store }: Log, rows: readonly Row[]) {
  const { audit_entries } = store.tables;
  const ids = rows.map(({ id }) => id);
  return store.db.delete(audit_entries).where(inArray(audit_entries.id, ids));
}

function removeHead({ store }: Log, id: string) {
  const { audit_chains } = store.tables;
  return store.db.delete(audit_chains).where(eq(audit_chains.id, id));
}

function removeChain({ store }: Log, id: string) {
  const { audit_entries } = store.tables;
  return store.db.delete(audit_entries).where(eq(audit_entries.chain_id, id));
}

function forgeHead({ store, head }: Log, set: Partial<AuditChainRow>) {
  const { audit_chains } = store.tables;
  return store.db.update(audit_chains).set(set).where(eq(audit_chains.id, head.id));
}

async function add({ store }: Log, row: Row, set: Partial<Row>): Promise<number> {
  const { id, ...fields } = { ...row, ...set };
  const { audit_entries } = store.tables;
  await store.db.insert(audit_entries).values(fields);
  const [added] = (await auditRows(store)).filter((stored) => stored.id > id).slice(-1);
  return added?.id ?? 0;
}

/** Rewrites the chain from this position on, with valid hashes. */
async function rehash(log: Log, from: number, detail: string): Promise<string> {
  let previous = from === 0 ? '' : rowAt(log, from - 1).hash;
  for (const row of log.rows.slice(from)) {
    const edited = { ...row, ...(row === log.rows[from] ? { detail } : {}) };
    previous = await hashOfEntry(edited, previous);
    await edit(log, row.id, { detail: edited.detail, hash: previous });
  }
  return previous;
}

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  async 'an edited detail'(log) {
    const { id } = rowAt(log, 2);
    await edit(log, id, { detail: 'nothing to see here' });
    return { first_bad_id: id, reason: 'edited' };
  },
  async 'an edited moment'(log) {
    const { id } = rowAt(log, 2);
    await edit(log, id, { created_at: '2020-01-01T00:00:00.000Z' });
    return { first_bad_id: id, reason: 'edited' };
  },
  async 'an edited user'(log) {
    const { id } = rowAt(log, 1);
    await edit(log, id, { user_id: null, username: 'somebody else' });
    return { first_bad_id: id, reason: 'edited' };
  },
  async 'an edited address of the newest entry'(log) {
    const { id } = rowAt(log, -1);
    await edit(log, id, { ip_address: '198.51.100.9' });
    return { first_bad_id: id, reason: 'edited' };
  },
  async 'an edited action'(log) {
    const { id } = rowAt(log, 0);
    await edit(log, id, { action: 'logout' });
    return { first_bad_id: id, reason: 'edited' };
  },
  async 'an edit whose own hash is made to fit'(log) {
    const row = rowAt(log, -3);
    const edited = { ...row, detail: 'else' };
    const hash = await hashOfEntry(edited, rowAt(log, -4).hash);
    await edit(log, row.id, { detail: 'else', hash });
    return { first_bad_id: rowAt(log, -2).id, reason: 'edited' };
  },
  async 'an edit of what a later run has vouched for, with all further hashes made to fit'(log) {
    await rehash(log, 0, 'else');
    return { first_bad_id: rowAt(log, 2).id, reason: 'edited' };
  },
  async 'an edit with all further hashes made to fit'(log) {
    await rehash(log, log.rows.length - 3, 'else');
    return { first_bad_id: rowAt(log, -1).id, reason: 'edited' };
  },
  async 'an edit with hashes and head made to fit, but for its signature'(log) {
    await forgeHead(log, { last_hash: await rehash(log, log.rows.length - 3, 'else') });
    return { first_bad_id: rowAt(log, -1).id, reason: 'head_forged' };
  },
  async 'an edit signed with another key'(log) {
    const seal = createAuditSeal(await createKeyring('the key of somebody else'));
    const { id, ...head } = await seal.signHead({
      ...log.head,
      last_hash: await rehash(log, log.rows.length - 3, 'else'),
    });
    await forgeHead(log, head);
    return { first_bad_id: rowAt(log, -1).id, reason: 'head_forged' };
  },
  async 'an entry removed from the middle'(log) {
    await remove(log, [rowAt(log, 2)]);
    return { first_bad_id: rowAt(log, 3).id, reason: 'removed' };
  },
  async 'the first entry removed'(log) {
    await remove(log, [rowAt(log, 0)]);
    return { first_bad_id: rowAt(log, 1).id, reason: 'removed' };
  },
  async 'the last entries cut off'(log) {
    await remove(log, log.rows.slice(-2));
    return { first_bad_id: rowAt(log, -3).id, reason: 'cut_off' };
  },
  async 'all entries of a chain removed'(log) {
    await remove(log, log.rows);
    return { first_bad_id: null, reason: 'cut_off' };
  },
  async 'the head of a chain removed'(log) {
    await removeHead(log, log.other.id);
    const [first] = (await auditRows(log.store)).filter(({ chain_id }) => chain_id === log.other.id);
    return { first_bad_id: first?.id ?? 0, reason: 'added' };
  },
  async 'a head that counts too few'(log) {
    const { hash, id } = rowAt(log, -2);
    await forgeHead(log, { entries: log.head.entries - 1, last_hash: hash });
    return { first_bad_id: id, reason: 'head_forged' };
  },
  async 'a head that counts too many'(log) {
    await forgeHead(log, { entries: log.head.entries + 1 });
    return { first_bad_id: rowAt(log, -1).id, reason: 'head_forged' };
  },
  async 'a head with a signature that is none'(log) {
    await forgeHead(log, { signature: '∎' });
    return { first_bad_id: rowAt(log, -1).id, reason: 'head_forged' };
  },
  async 'a head said to be of another instance'(log) {
    await forgeHead(log, { instance_id: 'another' });
    return { first_bad_id: rowAt(log, -1).id, reason: 'head_forged' };
  },
  async 'an entry added at the end'(log) {
    const row = rowAt(log, -1);
    const added = { ...row, seq: row.seq + 1, detail: 'made up' };
    const hash = await hashOfEntry(added, row.hash);
    return { first_bad_id: await add(log, added, { hash }), reason: 'added' };
  },
  async 'an entry added before the first'(log) {
    return { first_bad_id: await add(log, rowAt(log, 0), { seq: 0 }), reason: 'added' };
  },
  async 'an entry moved to another place in the list'(log) {
    await edit(log, rowAt(log, 1).id, { id: 2_000_000 });
    return { first_bad_id: rowAt(log, 2).id, reason: 'edited' };
  },
  async 'an entry of no chain'(log) {
    const id = await add(log, rowAt(log, 0), { chain_id: 'made up', seq: 1 });
    return { first_bad_id: id, reason: 'added' };
  },
  async 'two entries with their contents swapped'(log) {
    const [a, b] = [rowAt(log, 1), rowAt(log, 2)];
    const contentOf = ({ id, seq, chain_id, ...content }: Row) => content;
    await edit(log, a.id, contentOf(b));
    await edit(log, b.id, contentOf(a));
    return { first_bad_id: a.id, reason: 'edited' };
  },
  async 'two entries with their places swapped'(log) {
    const [a, b] = [rowAt(log, 1), rowAt(log, 2)];
    await edit(log, a.id, { seq: 9999 });
    await edit(log, b.id, { seq: a.seq });
    await edit(log, a.id, { seq: b.seq });
    return { first_bad_id: b.id, reason: 'edited' };
  },
  async 'an entry moved to the chain of another instance'(log) {
    const row = rowAt(log, -1);
    await edit(log, row.id, { chain_id: log.other.id, seq: log.other.entries + 1 });
    return { first_bad_id: rowAt(log, -2).id, reason: 'cut_off' };
  },
  async 'a chain of another instance removed whole'(log) {
    await removeChain(log, log.other.id);
    await removeHead(log, log.other.id);
    return { first_bad_id: null, reason: 'chain_removed' };
  },
  async 'the newest chain removed whole'(log) {
    await removeChain(log, log.last.id);
    await removeHead(log, log.last.id);
    return { first_bad_id: null, reason: 'chain_removed' };
  },
  async 'the newest chain removed whole, and the count of chains made to fit'(log) {
    await removeChain(log, log.last.id);
    await removeHead(log, log.last.id);
    const { audit_roll } = log.store.tables;
    await log.store.db.update(audit_roll).set({ chains: log.last.number - 1 });
    return { first_bad_id: null, reason: 'head_forged' };
  },
  async 'a removed count of chains'(log) {
    await log.store.db.delete(log.store.tables.audit_roll);
    return { first_bad_id: null, reason: 'head_forged' };
  },
  async 'everything removed'(log) {
    const { audit_entries, audit_chains, audit_roll } = log.store.tables;
    for (const table of [audit_entries, audit_chains, audit_roll]) await log.store.db.delete(table);
    return { first_bad_id: null, reason: 'chain_removed' };
  },
};

describeEachGateway('A log that was tampered with', (gateway) => {
  let auditor: Actor;
  let count = 0;
  let restore = async () => {};
  let log: Log;

  beforeAll(async () => {
    for (let chain = 0; chain < 3; chain += 1) await writeFive(await auditInstance(gateway().store));
  });
  beforeEach(async () => {
    count += 1; // A different one each time: verification is rate-limited.
    auditor = await gateway().user({ username: `auditor-${count}`, is_admin: true });
    for (let i = 0; i < 3; i += 1) await (await auditor.fetch('/api/auth/audit/export')).text();
    log = await readLog(gateway().store);
    restore = await snapshot(gateway().store);
  });
  afterEach(() => restore());

  const verify = async () => (await auditor.call<AuditVerdict>('GET', '/api/auth/audit/verify')).body;

  it.each(Object.entries(TAMPERINGS))('is detected: %s', async (_what, tamper) => {
    expect(await verify()).toMatchObject({ ok: true, first_bad_id: null, reason: null });
    const expected = await tamper(log);
    expect(await verify()).toMatchObject({ ok: false, ...expected });
  });

  it('is detected while the instance runs, even with an old genuine head', async () => {
    const earlier = log.head;
    await (await auditor.fetch('/api/auth/audit/export')).text();
    const { audit_entries } = gateway().store.tables;
    const later = await readLog(gateway().store);
    restore = await snapshot(gateway().store);
    await gateway()
      .store.db.delete(audit_entries)
      .where(gt(audit_entries.id, rowAt(log, -1).id));
    await forgeHead(later, earlier);
    expect(await verify()).toMatchObject({ ok: false, first_bad_id: null, reason: 'cut_off' });
  });

  it('is detected by a later run, even when the log was cut back to an old genuine head', async () => {
    const earlier = log.head;
    await (await auditor.fetch('/api/auth/audit/export')).text();
    const { store } = gateway();
    restore = await snapshot(store);
    await writeFive(await auditInstance(store));
    const later = await readLog(store);
    await store.db.delete(store.tables.audit_entries).where(
      inArray(
        store.tables.audit_entries.id,
        later.rows.filter(({ seq }) => seq > earlier.entries).map(({ id }) => id),
      ),
    );
    await forgeHead(later, earlier);
    const seal = createAuditSeal(await createKeyring(SECRET_KEY));
    const verdict = await verifyAudit({ audit: createRepositories(store).audit, seal }, undefined);
    expect(verdict).toMatchObject({ ok: false, first_bad_id: rowAt(log, -1).id, reason: 'cut_off' });
  });

  it('shows hidden entries again after verification', async () => {
    const { id, username, action } = rowAt(log, -1);
    const find = async (filter: Readonly<Record<string, string>>) =>
      (await auditor.call<AuditEntry[]>('GET', `/api/auth/audit?${new URLSearchParams(filter)}`)).body.some(
        (entry) => entry.id === id,
      );
    for (const filter of [{ username }, { search: action }, { username, search: action }]) {
      await edit(log, id, { username_key: 'somebody else', search_key: '', facets: '' });
      expect(await find(filter)).toBe(false);
      expect(await verify()).toMatchObject({ ok: true });
      expect(await find(filter)).toBe(true);
    }
  });

  it('is not repaired by later entries', async () => {
    await edit(log, rowAt(log, 0).id, { detail: 'else' });
    await (await auditor.fetch('/api/auth/audit/export')).text();
    expect(await verify()).toMatchObject({ ok: false, first_bad_id: rowAt(log, 0).id, reason: 'edited' });
    await edit(log, rowAt(log, 0).id, { detail: rowAt(log, 0).detail });
    expect(await verify()).toMatchObject({ ok: true });
    restore = async () => {};
  });
});

async function writeFive(instance: AuditChain): Promise<void> {
  for (let i = 0; i < 5; i += 1) await instance.append(auditRecord({ detail: String(i) }));
}

/** The chain of the gateway itself began first. */
async function readLog(store: Store): Promise<Log> {
  const { db, tables } = store;
  const chains = await db.select().from(tables.audit_chains).orderBy(tables.audit_chains.number);
  const [head, , other, last] = chains;
  if (!head || !other || !last) throw new Error('Chains are missing');
  const rows = (await auditRows(store)).filter(({ chain_id }) => chain_id === head.id);
  return { store, rows, head, other, last };
}

async function snapshot({ db, tables }: Store): Promise<() => Promise<void>> {
  const { audit_entries, audit_chains, audit_roll } = tables;
  const entries = await db.select().from(audit_entries);
  const chains = await db.select().from(audit_chains);
  const roll = await db.select().from(audit_roll);
  return async () => {
    for (const table of [audit_entries, audit_chains, audit_roll]) await db.delete(table);
    for (const entry of entries) await db.insert(audit_entries).values(entry);
    await db.insert(audit_chains).values(chains);
    await db.insert(audit_roll).values(roll);
  };
}

describe.each(DIALECTS)('The chains (%s)', (dialect: Dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    one = await startGateway({ database_url: database.url });
  });
  afterAll(async () => {
    await one?.close();
    await database?.cleanup();
  });

  const verdictOf = async ({ admin }: TestGateway) =>
    (await admin.call<AuditVerdict>('GET', '/api/auth/audit/verify')).body;
  const startAnother = async () => {
    const another = await startGateway({ database_url: database.url, untouched: true });
    return { ...another, admin: await another.signIn('admin', ADMIN_PASSWORD) };
  };
  const clearKey = (gateway: TestGateway, id: number) =>
    gateway.admin.call('DELETE', `/api/servers/${id}/host-key`);

  it('stay intact with 200 concurrent entries', async () => {
    const { id } = await one.addServer({ name: 'busy' });
    const answers = await Promise.all(Array.from({ length: 200 }, () => clearKey(one, id)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const search = encodeURIComponent(`busy (#${id})`);
    const path = `/api/auth/audit?action=host_key_clear&search=${search}`;
    expect((await one.admin.call(`GET`, path)).headers.get('x-total-count')).toBe('200');
    const rows = await auditRows(one.store);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1));
    expect(await verdictOf(one)).toEqual({
      ok: true,
      entries: rows.length,
      verified_before: null,
      restored: 0,
      checkpoint: null,
      first_bad_id: null,
      reason: null,
    });
  });

  it('stay intact with failed logins from many addresses at once', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `guess-${i}`);
    await Promise.all(names.map((name) => one.signIn(name, USER_PASSWORD).catch(() => undefined)));
    const { body } = await one.admin.call<AuditEntry[]>(
      'GET',
      '/api/auth/audit?action=login_failed&search=guess-',
    );
    expect(body.map(({ username }) => username).sort()).toEqual(names.sort());
    expect(new Set(body.map(({ ip_address }) => ip_address)).size).toBe(20);
    expect((await verdictOf(one)).ok).toBe(true);
  });

  it('of two instances are written side by side', async () => {
    const two = await startAnother();
    const { id } = await one.addServer({ name: 'shared' });
    const both = Array.from({ length: 100 }, (_, i) => clearKey(i % 2 === 0 ? one : two, id));
    await Promise.all(both);
    expect(await verdictOf(one)).toMatchObject({ ok: true });
    expect(await verdictOf(two)).toMatchObject({ ok: true });
    expect(await chainsOf(one)).toHaveLength(2);
    await two.close();
  });

  it('verify while both are being written', async () => {
    const two = await startAnother();
    const looker = await one.user({ username: 'looker', is_admin: true });
    const { id } = await one.addServer({ name: 'watched' });
    const writes = Array.from({ length: 120 }, (_, i) => clearKey(i % 2 === 0 ? one : two, id));
    const looks = Array.from({ length: 8 }, (_, i) =>
      verdictOf({ ...(i % 2 === 0 ? one : two), admin: looker }),
    );
    for (const verdict of await Promise.all(looks)) expect(verdict).toMatchObject({ ok: true });
    await Promise.all(writes);
    expect(await verdictOf(one)).toMatchObject({ ok: true });
    await two.close();
  });

  it('continue after a restart', async () => {
    const before = await chainsOf(one);
    await one.close();
    one = await startAnother();
    expect(await verdictOf(one)).toMatchObject({ ok: true, entries: (await auditRows(one.store)).length });
    const after = await chainsOf(one);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after).toHaveLength(before.length + 1);
  });

  it('depend on the secret key of the gateway', async () => {
    const stranger = await startGateway({
      database_url: database.url,
      untouched: true,
      env: { SERVICE_SECRET_KEY: 'another secret key of the tests' },
    });
    const admin = await stranger.signIn('admin', ADMIN_PASSWORD);
    expect(await verdictOf({ ...stranger, admin })).toMatchObject({ ok: false, reason: 'head_forged' });
    await stranger.close();
  });

  async function chainsOf({ store: { db, tables } }: TestGateway) {
    return db.select().from(tables.audit_chains).orderBy(tables.audit_chains.number);
  }
});
