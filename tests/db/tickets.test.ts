import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../support/stores.ts';
import { AT, firstUser, LATER, sessionRow, ticketRow } from './rows.ts';

describeEachStore('tickets', (fresh) => {
  async function prepare() {
    const repositories = createRepositories(await fresh.migrated());
    const user = await firstUser(repositories);
    await repositories.web_sessions.insert(sessionRow(user.id));
    return repositories.tickets;
  }

  it('gives a ticket once', async () => {
    const tickets = await prepare();
    await tickets.insert(ticketRow());
    expect(await tickets.take('digest', AT)).toEqual(ticketRow());
    expect(await tickets.take('digest', AT)).toBeUndefined();
  });

  it('gives a ticket to one of many at once', async () => {
    const tickets = await prepare();
    for (let round = 0; round < 10; round += 1) {
      await tickets.insert(ticketRow({ purpose: 'socket', server_id: null, path: null }));
      const taken = await Promise.all(Array.from({ length: 8 }, () => tickets.take('digest', AT)));
      expect(taken.filter((ticket) => ticket !== undefined)).toHaveLength(1);
    }
  });

  it('finds a ticket without using it up', async () => {
    const tickets = await prepare();
    await tickets.insert(ticketRow());
    expect(await tickets.find('digest', AT)).toEqual(ticketRow());
    expect(await tickets.find('digest', AT)).toEqual(ticketRow());
  });

  it('refuses a ticket for a session that has ended', async () => {
    const tickets = await prepare();
    const verb = tickets.insert(ticketRow({ session_id: 'ended' }));
    await expect(verb).rejects.toMatchObject({ name: 'Fault', code: 'invalid_token' });
  });

  it('neither gives nor finds an expired or unknown ticket', async () => {
    const tickets = await prepare();
    await tickets.insert(ticketRow());
    expect(await tickets.find('digest', LATER)).toBeUndefined();
    expect(await tickets.take('digest', LATER)).toBeUndefined();
    expect(await tickets.take('another', AT)).toBeUndefined();
  });

  it('removes what has expired and keeps the rest', async () => {
    const tickets = await prepare();
    await tickets.insert(ticketRow());
    await tickets.insert(ticketRow({ digest: 'old', expires_at: AT }));
    await tickets.removeExpired(AT);
    const long_ago = '2020-01-01T00:00:00.000Z';
    expect(await tickets.find('old', long_ago)).toBeUndefined();
    expect(await tickets.find('digest', long_ago)).toBeDefined();
  });
});
