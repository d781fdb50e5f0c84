import { expect, it } from 'vitest';
import { createActivityRegistry } from '#core/activities/registry.ts';
import { createAuditTrail } from '#core/audit/trail.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { NewRecordingRow, RecordingSearchEvent } from '#core/model/recording.ts';
import { createRecordingSearches } from '#core/recordings/search.ts';
import { type HandClock, handClock } from '../../support/hand-clock.ts';
import { logInMemory, recordingsInMemory } from './in-memory.ts';

const ADMIN = callerNamed({ user_id: 1, is_admin: true });
const MINUTE_MS = 60_000;
const NEVER = new AbortController().signal;

function callerNamed(known: Partial<Caller>): Caller {
  const all: Partial<Caller> = {
    username: 'admin',
    credential: { kind: 'session', id: 'web' },
    scopes: ['read', 'admin'],
    ip_address: '::1',
    ...known,
  };
  return all as Caller; // The parts of it that the search reads.
}

function row(second: number, starts_at = second): NewRecordingRow {
  const started_at = new Date(Date.UTC(2026, 0, 1, 0, 0, starts_at)).toISOString();
  const times = { started_at, ended_at: started_at, duration_s: 1, size_bytes: 1 };
  const owner = { user_id: 7, username: 'ann', server_id: 1, server_name: 'box', run_id: 'run' };
  const file = { file_path: `${second}.cast`, directory_id: null, sha256: null };
  return { ...times, ...owner, ...file, status: 'finished' };
}

interface Setup {
  readonly count: number;
  /** All start in this second; without it, each starts a second after the last. */
  readonly starts_at?: number;
  /** What happens while a file is searched. */
  readonly during?: (
    path: string,
    on: { clock: HandClock; remove(id: number): void; endAll(): void },
  ) => Promise<unknown>;
}

async function setUp({ count, starts_at, during }: Setup) {
  const clock = handClock(1000);
  const { recordings, rows } = recordingsInMemory(['run']);
  for (let second = 0; second < count; second += 1) await recordings.insert(row(second, starts_at));
  const searched: string[] = [];
  const activities = createActivityRegistry();
  const endAll = () => activities.endWhere(() => true, 'Signed out');
  const searches = createRecordingSearches({
    repositories: { recordings },
    casts: {
      async search(path) {
        searched.push(path);
        await during?.(path, { clock, remove: (id) => void rows.delete(id), endAll });
        return [{ at_s: 0, line: path }];
      },
    },
    homes: { of: async () => ({ kind: 'here' }) },
    trail: createAuditTrail({ chain: logInMemory().chain, clock }),
    activities,
    clock,
    demo_mode: false,
  });
  async function search(to?: string) {
    const events: RecordingSearchEvent[] = [];
    const run = await searches.begin(ADMIN, { text: 'any', ...(to ? { to } : {}) });
    await run(NEVER, (event) => events.push(event));
    const found = events.flatMap((event) => (event.type === 'found' ? [event.recording.file_path] : []));
    const done = events.at(-1);
    return { found, continue_to: done?.type === 'done' ? done.continue_to : 'not done' };
  }
  return { search, searched, searches, activities };
}

it('A search sees each recording, newest first, although others are deleted while it runs', async () => {
  const { search, searched } = await setUp({
    count: 120,
    during: async (path, { remove }) => path === '80.cast' && remove(119),
  });
  expect(await search()).toMatchObject({ continue_to: null });
  expect(searched).toEqual(Array.from({ length: 120 }, (_, at) => `${119 - at}.cast`));
});

it('A search that takes a minute names the recording to go on with, which may be half searched', async () => {
  const { search } = await setUp({
    count: 5,
    during: async (path, { clock }) => path === '2.cast' && clock.pass(MINUTE_MS),
  });
  const first = await search();
  expect(first.found).toEqual(['4.cast', '3.cast']);
  const rest = await search(first.continue_to ?? undefined);
  expect(rest).toEqual({
    found: ['2.cast'],
    continue_to: new Date(Date.UTC(2026, 0, 1, 0, 0, 1, 1)).toISOString(),
  });
});

it('A search sees more recordings that start in the same millisecond than one page has', async () => {
  const { search, searched } = await setUp({ count: 120, starts_at: 1 });
  expect(await search()).toMatchObject({ continue_to: null });
  expect(new Set(searched).size).toBe(120);
  expect(searched).toHaveLength(120);
});

it('A search stops at two hundred recordings, and the next one finds the rest', async () => {
  const { search } = await setUp({ count: 210 });
  const first = await search();
  expect(first.found).toHaveLength(200);
  const rest = await search(first.continue_to ?? undefined);
  expect(new Set([...first.found, ...rest.found]).size).toBe(210);
  expect(rest.continue_to).toBeNull();
});

it('A fifth user’s search runs beside four long ones, and all take turns', async () => {
  const order: number[] = [];
  const { searches } = await setUp({ count: 6 });
  const run = async (user_id: number) => {
    const search = await searches.begin(callerNamed({ user_id, is_admin: true }), { text: 'any' });
    await search(NEVER, (event) => event.type === 'found' && order.push(user_id));
  };
  await Promise.all([1, 2, 3, 4, 5].map(run));
  expect(order.filter((user_id) => user_id === 5)).toHaveLength(6);
  expect(order.indexOf(5)).toBeLessThan(10);
});

it('A second search of the same user is refused while the first runs', async () => {
  const { searches } = await setUp({ count: 1 });
  await searches.begin(ADMIN, { text: 'any' });
  await expect(searches.begin(ADMIN, { text: 'any' })).rejects.toMatchObject({ code: 'too_many_searches' });
});

it('A search ends when its user loses the right to it, without what it was reading', async () => {
  const { searches, searched, activities } = await setUp({
    count: 5,
    during: async (path, { endAll }) => path === '3.cast' && endAll(),
  });
  const events: RecordingSearchEvent[] = [];
  const run = await searches.begin(ADMIN, { text: 'any' });
  const ended = run(NEVER, (event) => events.push(event));
  await expect(ended).rejects.toMatchObject({ code: 'transfer_ended', detail: 'Signed out' });
  expect(searched).toEqual(['4.cast', '3.cast']);
  expect(events).toHaveLength(1);
  expect(activities.all()).toEqual([]);
});

it('An embedded session searches no recordings', async () => {
  const { searches } = await setUp({ count: 1 });
  const bounds = { server_id: 1, kind: 'terminal', mode: 'rw' } as unknown as Caller['bounds'];
  const begun = searches.begin(callerNamed({ bounds }), { text: 'any' });
  await expect(begun).rejects.toMatchObject({ status: 403 });
});
