import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, apiKeyRow, firstUser, LATER, sessionRow, ticketRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('tickets', (fresh) => {
  async function prepare() {
    const repositories = createRepositories(await fresh.migrated());
    const user = await firstUser(repositories);
    await repositories.web_sessions.insert(sessionRow(user.id));
    const { id } = await repositories.api_keys.insert(apiKeyRow(user.id), 100);
    return {
      ...repositories,
      user,
      ofKey: ticketRow({ digest: 'of key', credential: { kind: 'api_key', id } }),
    };
  }

  it('redeems a ticket once', async () => {
    const { tickets } = await prepare();
    await tickets.insert(ticketRow());
    expect(await tickets.take('digest', AT)).toEqual(ticketRow());
    expect(await tickets.take('digest', AT)).toBeUndefined();
  });

  it('redeems a ticket for one of many concurrent requests', async () => {
    const { tickets } = await prepare();
    for (let round = 0; round < 10; round += 1) {
      await tickets.insert(ticketRow({ payload: { purpose: 'socket' } }));
      const taken = await Promise.all(Array.from({ length: 8 }, () => tickets.take('digest', AT)));
      expect(taken.filter((ticket) => ticket !== undefined)).toHaveLength(1);
    }
  });

  it('reads a ticket without redeeming it', async () => {
    const { tickets } = await prepare();
    await tickets.insert(ticketRow());
    expect(await tickets.find('digest', AT)).toEqual(ticketRow());
    expect(await tickets.find('digest', AT)).toEqual(ticketRow());
  });

  it('refuses a ticket for a session that has ended', async () => {
    const { tickets } = await prepare();
    const verb = tickets.insert(ticketRow({ credential: { kind: 'session', id: 'ended' } }));
    await expect(verb).rejects.toMatchObject({ name: 'Fault', code: 'invalid_token' });
  });

  it('refuses a ticket of a revoked API key and removes its tickets', async () => {
    const { tickets, api_keys, ofKey, user } = await prepare();
    await tickets.insert(ofKey);
    await api_keys.remove(user.id, 1);
    expect(await tickets.find('of key', AT)).toBeUndefined();
    const verb = tickets.insert(ofKey);
    await expect(verb).rejects.toMatchObject({ name: 'Fault', code: 'invalid_token' });
  });

  it('redeems the ticket of an API key once, and reads it before', async () => {
    const { tickets, ofKey } = await prepare();
    await tickets.insert(ofKey);
    expect(await tickets.find('of key', AT)).toEqual(ofKey);
    expect(await tickets.take('of key', LATER)).toBeUndefined();
    const taken = await Promise.all(Array.from({ length: 8 }, () => tickets.take('of key', AT)));
    expect(taken.filter((ticket) => ticket !== undefined)).toEqual([ofKey]);
  });

  it('neither redeems nor reads an expired or unknown ticket', async () => {
    const { tickets } = await prepare();
    await tickets.insert(ticketRow());
    expect(await tickets.find('digest', LATER)).toBeUndefined();
    expect(await tickets.take('digest', LATER)).toBeUndefined();
    expect(await tickets.take('another', AT)).toBeUndefined();
  });

  it('removes expired tickets and keeps the rest', async () => {
    const { tickets, ofKey } = await prepare();
    await tickets.insert(ticketRow());
    await tickets.insert(ticketRow({ digest: 'old', expires_at: AT }));
    await tickets.insert({ ...ofKey, expires_at: AT });
    await tickets.removeExpired(AT);
    const long_ago = '2020-01-01T00:00:00.000Z';
    expect(await tickets.find('old', long_ago)).toBeUndefined();
    expect(await tickets.find('of key', long_ago)).toBeUndefined();
    expect(await tickets.find('digest', long_ago)).toBeDefined();
  });
});
