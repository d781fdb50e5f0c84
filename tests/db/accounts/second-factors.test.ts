import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, firstUser, sessionRow, twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const NONE = {
  totp_enabled: false,
  totp_secret_sealed: null,
  totp_last_step: null,
  recovery_digests: [],
};
const enrolment = { totp_secret_sealed: 'sealed', step: 7, recovery_digests: ['a', 'b"c'] };
const ENABLED = {
  totp_enabled: true,
  totp_secret_sealed: 'sealed',
  totp_last_step: 7,
  recovery_digests: ['a', 'b"c'],
};

describeEachStore('second factors', (fresh) => {
  async function prepare() {
    const repositories = createRepositories(await fresh.migrated());
    const { id } = await firstUser(repositories);
    return { ...repositories, id };
  }

  it('are enabled by a code for the secret of the set-up', async () => {
    const { second_factors, users, id } = await prepare();
    expect(await second_factors.of(id)).toEqual(NONE);
    expect(await second_factors.enable(id, enrolment)).toBe(false);
    expect(await second_factors.begin(id, 'earlier')).toBe(true);
    expect(await second_factors.begin(id, 'sealed')).toBe(true);
    expect(await second_factors.enable(id, { ...enrolment, totp_secret_sealed: 'earlier' })).toBe(false);
    expect(await second_factors.enable(id, enrolment)).toBe(true);
    expect(await second_factors.of(id)).toEqual(ENABLED);
    expect((await users.byId(id))?.totp_enabled).toBe(true);
  });

  it('refuse a new set-up while enabled', async () => {
    const { second_factors, id } = await prepare();
    await second_factors.begin(id, 'sealed');
    await second_factors.enable(id, enrolment);
    expect(await second_factors.begin(id, 'another')).toBe(false);
    expect(await second_factors.enable(id, enrolment)).toBe(false);
    expect(await second_factors.of(id)).toEqual(ENABLED);
  });

  it('are removed completely', async () => {
    const { second_factors, id } = await prepare();
    await second_factors.begin(id, 'sealed');
    await second_factors.enable(id, enrolment);
    await second_factors.clear(id);
    expect(await second_factors.of(id)).toEqual(NONE);
    expect(await second_factors.takeStep(id, 99)).toBe(false);
    expect(await second_factors.replaceRecovery(id, enrolment.recovery_digests, [])).toBe(false);
  });

  it('accept each time step once, and only later ones', async () => {
    const { second_factors, id } = await prepare();
    await second_factors.begin(id, 'sealed');
    await second_factors.enable(id, enrolment);
    const taken: boolean[] = [];
    for (const step of [7, 6, 9, 9, 8, 10]) taken.push(await second_factors.takeStep(id, step));
    expect(taken).toEqual([false, false, true, false, false, true]);
  });

  it('replace exactly the recovery codes that were read', async () => {
    const { second_factors, id } = await prepare();
    await second_factors.begin(id, 'sealed');
    await second_factors.enable(id, enrolment);
    expect(await second_factors.replaceRecovery(id, ['b"c', 'a'], [])).toBe(false);
    expect(await second_factors.replaceRecovery(id, ['a', 'b"c'], ['b"c'])).toBe(true);
    expect(await second_factors.replaceRecovery(id, ['b"c'], [])).toBe(true);
    expect(await second_factors.replaceRecovery(id, [], ['new'])).toBe(true);
    expect((await second_factors.of(id))?.recovery_digests).toEqual(['new']);
  });

  it('do not exist for unknown users, and are never part of a user object', async () => {
    const { second_factors, users, web_sessions, id } = await prepare();
    await second_factors.begin(id, 'sealed');
    await web_sessions.insert(sessionRow(id));
    expect(await second_factors.of(99)).toBeUndefined();
    expect(await second_factors.begin(99, 'sealed')).toBe(false);
    const seen = [await users.byId(id), await users.list(), await web_sessions.active('session', AT)];
    expect(JSON.stringify(seen)).not.toMatch(/sealed|step|recovery|username_key/);
  });

  it('accept one of two concurrent enrolments, and each step and code once', async () => {
    const [one, two] = await twoInstances(fresh);
    const { id } = await firstUser(one);
    const all = [one, two, one, two].map(({ second_factors }) => second_factors);
    for (let round = 0; round < 10; round += 1) {
      await one.second_factors.begin(id, 'sealed');
      const enabled = await Promise.all(all.map((factors) => factors.enable(id, enrolment)));
      expect(enabled.filter(Boolean)).toHaveLength(1);
      const steps = await Promise.all(all.map((factors) => factors.takeStep(id, 8)));
      expect(steps.filter(Boolean)).toHaveLength(1);
      const codes = await Promise.all(all.map((factors) => factors.replaceRecovery(id, ['a', 'b"c'], ['a'])));
      expect(codes.filter(Boolean)).toHaveLength(1);
      await one.second_factors.clear(id);
    }
  });
});
