import { expect, it } from 'vitest';
import { createActivityRegistry } from '#core/activities/registry.ts';
import type { TerminalSessionRow } from '#core/model/terminal.ts';
import type { TerminalSessionRepository } from '#core/ports/repositories/terminals.ts';
import { createSessionLedger } from '#core/terminals/ledger.ts';
import type { LiveSession } from '#core/terminals/live/live-session.ts';
import { sessionDouble } from './session-double.ts';

/** A database of terminals; `change` overrides its answers. */
function setUp(change: Partial<TerminalSessionRepository> = {}) {
  const rows = new Map<string, TerminalSessionRow>();
  const none = async () => {};
  const terminal_sessions: TerminalSessionRepository = {
    insert: async (row) => void rows.set(row.id, row),
    begin: none,
    adopt: async (row) => void rows.set(row.id, row),
    refresh: async (some) => {
      for (const row of some) rows.set(row.id, row);
    },
    setShare: none,
    finish: none,
    remove: async (id) => void rows.delete(id),
    list: async () => [...rows.values()],
    home: async () => undefined,
    homeOfShare: async () => undefined,
    removeOrphans: async () => [],
    ...change,
  };
  const activities = createActivityRegistry<LiveSession>();
  const { session, clock } = sessionDouble();
  activities.addSession(session);
  const works: Promise<unknown>[] = [];
  const ledger = createSessionLedger({
    repositories: { terminal_sessions },
    activities,
    clock,
    background: { run: (_what, work) => void works.push(work) },
    run_id: 'run',
    settings: { values: { max_sessions_per_user: 0 } },
  });
  return { ledger, activities, rows, done: () => Promise.allSettled(works) };
}

it('A terminal that ends while it is being stored does not stay in the list', async () => {
  let written = () => {};
  const scene = setUp({
    refresh: (some) =>
      new Promise((resolve) => {
        written = () => {
          for (const row of some) scene.rows.set(row.id, row);
          resolve();
        };
      }),
  });
  const refreshed = scene.ledger.refresh();
  scene.activities.remove('one');
  scene.ledger.remove('one');
  await scene.done();
  written();
  await refreshed;
  await scene.done();
  expect([...scene.rows]).toEqual([]);
});

it('Thousands of terminals are stored a few at a time, and only those that have changed', async () => {
  const sizes: number[] = [];
  const scene = setUp({ refresh: async (rows) => void sizes.push(rows.length) });
  for (let count = 0; count < 5000; count += 1) {
    scene.activities.addSession(sessionDouble({ id: `terminal ${count}` }).session);
  }
  await scene.ledger.refresh();
  expect(sizes.reduce((sum, size) => sum + size)).toBe(5001);
  expect(Math.max(...sizes)).toBe(200);
  sizes.length = 0;
  await scene.ledger.refresh();
  expect(sizes).toEqual([]);
});

it('A share does not wait until the ends of other terminals are stored', async () => {
  const shared: string[] = [];
  const { ledger } = setUp({
    finish: () => new Promise(() => {}),
    setShare: async (id) => void shared.push(id),
  });
  ledger.finish('one');
  await ledger.setShare('other', 'digest');
  expect(shared).toEqual(['other']);
});

it('The last of several concurrent shares of one terminal is kept', async () => {
  const digests: (string | null)[] = [];
  const { ledger } = setUp({ setShare: async (_id, digest) => void digests.push(digest) });
  await Promise.all([ledger.setShare('one', 'a'), ledger.setShare('one', null), ledger.setShare('one', 'b')]);
  expect(digests.at(-1)).toBe('b');
});

it('A failed write is repeated at the next heartbeat', async () => {
  let is_away = true;
  const finished: string[] = [];
  const { ledger, done } = setUp({
    async finish(id) {
      if (is_away) throw new Error('No database');
      finished.push(id);
    },
  });
  ledger.finish('two');
  await done();
  is_away = false;
  await ledger.refresh();
  await done();
  expect(finished).toEqual(['two']);
});

it('A terminal that ends while it is being stored does not stay in the list even when the answer is lost', async () => {
  let lose = () => {};
  const scene = setUp({
    refresh: (some) =>
      new Promise((_resolve, reject) => {
        lose = () => {
          for (const row of some) scene.rows.set(row.id, row);
          reject(new Error('Connection terminated unexpectedly'));
        };
      }),
  });
  const refreshed = scene.ledger.refresh();
  scene.activities.remove('one');
  scene.ledger.remove('one');
  await scene.done();
  lose();
  await expect(refreshed).rejects.toThrow('terminated');
  await scene.done();
  expect([...scene.rows]).toEqual([]);
});

it('A write waits for an earlier failed write of the same terminal', async () => {
  let is_away = true;
  const written: string[] = [];
  const { ledger, done } = setUp();
  const write = (what: string) => async () => {
    if (is_away) throw new Error('No database');
    written.push(what);
  };
  ledger.later('audit', write('joined'), 'audit');
  await done();
  is_away = false;
  ledger.later('audit', write('left'), 'audit');
  ledger.later('audit', write('of another line'), 'other');
  await done();
  await ledger.refresh();
  await done();
  expect(written).toEqual(['of another line', 'joined', 'left']);
});
