import { expect, it } from 'vitest';
import type { TicketPayload } from '#core/model/accounts/ticket.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, firstUser, LATER, sessionRow, ticketRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const NOTHING = { server_id: null, path: null };
const PATHS = ['/srv/a b', 'bytes:/srv/caf%E9'];

/** Each payload, and how version 0.7 stores it. */
const TICKETS: readonly (readonly [TicketPayload, { server_id: number | null; path: string | null }])[] = [
  [{ purpose: 'socket' }, NOTHING],
  [{ purpose: 'embedded_socket' }, NOTHING],
  [
    { purpose: 'file', server_id: 7, path: '/srv/a b' },
    { server_id: 7, path: '/srv/a b' },
  ],
  [
    { purpose: 'archive', server_id: 7, paths: PATHS, base_path: '/srv' },
    { server_id: 7, path: JSON.stringify({ paths: PATHS, base_path: '/srv' }) },
  ],
  [
    { purpose: 'archive', server_id: 7, paths: PATHS },
    { server_id: 7, path: JSON.stringify({ paths: PATHS }) },
  ],
  [
    { purpose: 'recording', recording_id: 12 },
    { server_id: null, path: '12' },
  ],
  [
    { purpose: 'embed', server_id: 7, kind: 'terminal', mode: 'ro' },
    { server_id: 7, path: JSON.stringify({ kind: 'terminal', mode: 'ro' }) },
  ],
];

describeEachStore('tickets during an upgrade from 0.7', (fresh) => {
  async function prepare() {
    const store = await fresh.migrated();
    const repositories = createRepositories(store);
    const user = await firstUser(repositories);
    await repositories.web_sessions.insert(sessionRow(user.id));
    const { db, tables } = store;
    const common = { session_id: 'session', expires_at: LATER };
    const insertOld = (row: {
      digest: string;
      purpose: string;
      server_id: number | null;
      path: string | null;
    }) => db.insert(tables.tickets).values({ ...common, ...row, purpose: row.purpose as 'file' });
    return { ...repositories, db, tables, insertOld };
  }

  it('are read when the old version has issued them', async () => {
    const { tickets, insertOld } = await prepare();
    for (const [index, [payload, packed]] of TICKETS.entries()) {
      const digest = `old ${index}`;
      await insertOld({ digest, purpose: payload.purpose, ...packed });
      expect(await tickets.find(digest, AT)).toEqual(ticketRow({ digest, payload }));
      expect(await tickets.take(digest, AT)).toEqual(ticketRow({ digest, payload }));
    }
  });

  it('are stored so that the old version reads them, too', async () => {
    const { tickets, db, tables } = await prepare();
    for (const [index, [payload, packed]] of TICKETS.entries()) {
      const digest = `new ${index}`;
      await tickets.insert(ticketRow({ digest, payload }));
      expect(await tickets.find(digest, AT)).toEqual(ticketRow({ digest, payload }));
      const [stored] = await db.delete(tables.tickets).returning();
      expect(stored).toMatchObject({ purpose: payload.purpose, ...packed });
    }
  });

  it('are valid for their payload only, whatever the columns of the old version contain', async () => {
    const { tickets, db, tables } = await prepare();
    await tickets.insert(ticketRow());
    await db.update(tables.tickets).set({ server_id: 8, path: '/etc' });
    expect(await tickets.find('digest', AT)).toEqual(ticketRow());
  });

  it.each([
    ['a purpose that only a newer version knows', { purpose: 'later', ...NOTHING }],
    ['an archive whose paths are cut off', { purpose: 'archive', server_id: 7, path: '{"paths":["/sr' }],
    ['an archive without paths', { purpose: 'archive', server_id: 7, path: null }],
    ['a file without a server', { purpose: 'file', server_id: null, path: '/srv' }],
    ['a recording without an id', { purpose: 'recording', ...NOTHING }],
    ['an embed of an unknown kind', { purpose: 'embed', server_id: 7, path: '{"kind":"all","mode":"rw"}' }],
  ])('are unknown when they cannot be read: %s', async (_, row) => {
    const { tickets, insertOld } = await prepare();
    await insertOld({ digest: 'odd', ...row });
    expect(await tickets.find('odd', AT)).toBeUndefined();
    expect(await tickets.take('odd', AT)).toBeUndefined();
  });
});
