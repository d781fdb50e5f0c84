import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const minute = (n: number) => `2026-01-02T03:${String(n).padStart(2, '0')}:00.000Z`;
const attempt = (now: number) => ({
  username: 'Jane',
  now: minute(now),
  first_lock: 3,
  locks: [minute(now + 1), minute(now + 5)],
});

describeEachStore('lockouts', (fresh) => {
  const prepare = async () => createRepositories(await fresh.migrated()).lockouts;

  it('lock a name from the given attempt on, for longer each time', async () => {
    const lockouts = await prepare();
    const ends: (string | null)[] = [];
    for (const now of [0, 0, 0, 1, 6, 11]) {
      const { allowed, locked_until } = await lockouts.attempt(attempt(now));
      expect(allowed).toBe(true);
      ends.push(locked_until);
    }
    expect(ends).toEqual([null, null, minute(1), minute(6), minute(11), minute(16)]);
  });

  it('count nothing while the name is locked, and say until when it is', async () => {
    const lockouts = await prepare();
    for (let i = 0; i < 3; i += 1) await lockouts.attempt(attempt(0));
    const refused = { allowed: false, locked_until: minute(1) };
    for (let i = 0; i < 3; i += 1) expect(await lockouts.attempt(attempt(0))).toEqual(refused);
    expect(await lockouts.attempt(attempt(1))).toEqual({ allowed: true, locked_until: minute(6) });
  });

  it('lock at the first attempt when requested', async () => {
    const lockouts = await prepare();
    const strict = { ...attempt(0), first_lock: 1 };
    expect(await lockouts.attempt(strict)).toEqual({ allowed: true, locked_until: minute(1) });
    expect(await lockouts.attempt(strict)).toEqual({ allowed: false, locked_until: minute(1) });
    expect(await lockouts.attempt({ ...attempt(1), first_lock: 1 })).toEqual({
      allowed: true,
      locked_until: minute(6),
    });
  });

  it('apply to a name ignoring case, and to no other name', async () => {
    const lockouts = await prepare();
    for (let i = 0; i < 3; i += 1) await lockouts.attempt(attempt(0));
    expect(await lockouts.attempt({ ...attempt(0), username: 'JANE' })).toMatchObject({ allowed: false });
    expect(await lockouts.attempt({ ...attempt(0), username: 'joe' })).toMatchObject({ allowed: true });
  });

  it('take back an attempt together with the lock that it set', async () => {
    const lockouts = await prepare();
    for (let i = 0; i < 2; i += 1) await lockouts.attempt(attempt(0));
    const { locked_until } = await lockouts.attempt(attempt(0));
    await lockouts.undo('jane', null);
    expect(await lockouts.attempt(attempt(0))).toMatchObject({ allowed: false });
    await lockouts.undo('jane', minute(9));
    expect(await lockouts.attempt(attempt(0))).toMatchObject({ allowed: false });
    await lockouts.undo('jane', locked_until);
    for (const expected of [null, null, minute(1)]) {
      expect(await lockouts.attempt(attempt(0))).toEqual({ allowed: true, locked_until: expected });
    }
  });

  it('start again once cleared', async () => {
    const lockouts = await prepare();
    for (let i = 0; i < 3; i += 1) await lockouts.attempt(attempt(0));
    await lockouts.clear('JANE');
    expect(await lockouts.attempt(attempt(0))).toEqual({ allowed: true, locked_until: null });
  });

  it('are removed long after the last attempt and the lock', async () => {
    const lockouts = await prepare();
    for (let i = 0; i < 3; i += 1) await lockouts.attempt(attempt(0));
    await lockouts.removeStale(minute(1));
    expect(await lockouts.attempt(attempt(1))).toMatchObject({ locked_until: minute(6) });
    await lockouts.attempt({ ...attempt(8), username: 'recent' });
    await lockouts.removeStale(minute(7));
    expect(await lockouts.attempt(attempt(9))).toEqual({ allowed: true, locked_until: null });
    await lockouts.attempt({ ...attempt(9), username: 'recent' });
    const third = await lockouts.attempt({ ...attempt(9), username: 'recent' });
    expect(third.locked_until).toBe(minute(10));
  });

  it('allow exactly the configured number of concurrent attempts before the lock', async () => {
    const [one, two] = await twoInstances(fresh);
    for (let round = 0; round < 8; round += 1) {
      const input = { ...attempt(0), username: `user ${round}` };
      const attempts = Array.from({ length: 12 }, (_, i) => (i % 2 ? one : two).lockouts.attempt(input));
      const answers = await Promise.all(attempts);
      expect(answers.filter(({ allowed }) => allowed)).toHaveLength(3);
      const refused = answers.filter(({ allowed }) => !allowed);
      expect(new Set(refused.map(({ locked_until }) => locked_until))).toEqual(new Set([minute(1)]));
    }
  });
});
