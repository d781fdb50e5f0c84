import { expect, it } from 'vitest';
import { createActivityRegistry } from '#core/activities/registry.ts';
import { createActivityRights } from '#core/activities/rights.ts';
import { createChanges } from '#core/instances/changes.ts';
import type { UserRow } from '#core/model/accounts/user.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { handClock } from '../../support/hand-clock.ts';
import { OWNER, sessionDouble } from '../terminals/session-double.ts';

it('A resume with another session during a rights check is judged by the next check', async () => {
  const { session, attach } = sessionDouble();
  const first = attach();
  const activities = createActivityRegistry();
  activities.addSession(session);
  const asked: string[][] = [];
  const standing = async (ids: readonly string[]) => {
    asked.push([...ids]);
    const credential = { kind: 'session', id: 'another' } as const;
    session.attachOwner(attendeeOf(first), { ...OWNER, credential }, { offset: 0 });
    return []; // The session that was checked is logged out.
  };
  await createActivityRights({
    activities,
    clock: handClock(),
    repositories: repositoriesWith(standing),
  }).recheck(() => true);
  expect(asked).toEqual([['web']]);
  expect(session.is_over).toBe(false);
});

it.each([
  ['search_all', false, ['Only administrators may search all recordings']],
  ['search_all', true, []],
  ['search', false, []],
] as const)(
  'A %s of somebody whose being an administrator is %s ends with %j',
  async (use, is_admin, why) => {
    const activities = createActivityRegistry();
    const ends: string[] = [];
    const info = { id: 'one', owner: OWNER, server: { id: null, name: '' } };
    activities.addSearch(info, use, ({ detail }) => ends.push(detail));
    const user = { is_admin, must_change_password: false } as UserRow; // The parts of it that the check reads.
    const standing = async (ids: readonly string[]) => ids.map((id) => ({ id, user, expires_at: null }));
    const repositories = repositoriesWith(standing);
    await createActivityRights({ activities, clock: handClock(), repositories }).recheck(() => true);
    expect(ends).toEqual(why);
  },
);

it.each([2000, 12_000])(
  'A search ends at the moment when its API key expires, %i ms later',
  async (in_ms) => {
    const clock = handClock(10);
    const expires_at = new Date(clock.now().getTime() + in_ms).toISOString();
    const user = { must_change_password: false } as UserRow; // The part of it that the check reads.
    const api_keys = {
      standing: async (_ids: readonly number[], now: string) =>
        expires_at > now ? [{ id: 7, user, expires_at }] : [],
    };
    const repositories = { ...repositoriesWith(async () => []), api_keys } as unknown as Repositories;
    const activities = createActivityRegistry();
    const changes = createChanges(clock);
    createActivityRights({ activities, clock, repositories }).watch(changes, { run: () => undefined });
    changes.hearing(true);
    await clock.pass(500);
    const ends: string[] = [];
    const owner = { ...OWNER, credential: { kind: 'api_key', id: 7, expires_at } as const };
    activities.addSearch({ id: 'one', owner, server: { id: null, name: '' } }, 'search', ({ detail }) =>
      ends.push(detail),
    );
    await clock.pass(in_ms - 510);
    expect(ends).toEqual([]);
    await clock.pass(10);
    expect(ends).toEqual(['Signed out']);
  },
);

const attendeeOf = ({ socket }: Pick<ReturnType<ReturnType<typeof sessionDouble>['attach']>, 'socket'>) =>
  socket;

type Standing = (
  ids: readonly string[],
) => Promise<{ id: string; user: UserRow; expires_at: string | null }[]>;

/** What a rights check needs. */
function repositoriesWith(standing: Standing): Pick<Repositories, 'web_sessions' | 'api_keys' | 'servers'> {
  const fakes = {
    web_sessions: { standing },
    api_keys: { standing: async () => [] },
    servers: { byIds: async () => [] },
  };
  return fakes as unknown as Repositories;
}
