import { describe, expect, it } from 'vitest';
import type { Caller } from '#core/model/accounts/caller.ts';
import { uncheckedRow } from '#core/model/hosts/server-status.ts';
import { createServerEvents } from '#core/monitor/events.ts';
import type { VisibleGroups } from '#core/ports/repositories/hosts.ts';
import type { VisibleStatusRow } from '#core/ports/repositories/monitor.ts';
import type { Repositories } from '#core/ports/repositories.ts';

const ROWS: readonly VisibleStatusRow[] = [
  { ...uncheckedRow(1), group: 'lab' },
  { ...uncheckedRow(2), group: 'ops' },
];
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Blocks, when asked to, until it is released. */
function gate() {
  let open = () => {};
  let passage = Promise.resolve();
  return {
    shut() {
      passage = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    pass: () => passage,
  };
}

function setUp() {
  const groups = new Map<string, string[]>();
  const standing = gate();
  const listing = gate();
  let revision = 0;
  let news: VisibleStatusRow[] = [];
  let round = () => {};
  const within = (visible: VisibleGroups) =>
    ROWS.filter(({ group }) => visible === 'all' || visible.includes(group));
  const repositories = {
    server_statuses: {
      async list(visible: VisibleGroups) {
        const rows = within(visible);
        await listing.pass();
        return rows;
      },
      async since() {
        return { revision, rows: news };
      },
    },
    web_sessions: {
      async standing(ids: readonly string[]) {
        await standing.pass();
        return ids.map((id) => ({ id, user: { allowed_groups: groups.get(id) ?? [], is_admin: false } }));
      },
    },
    api_keys: {},
  } as unknown as Repositories; // The parts of them that events need.
  const events = createServerEvents({
    repositories,
    changes: {
      follow({ look }) {
        round = () => void look();
        return () => undefined;
      },
    },
    clock: { now: () => new Date(), elapsed_ms: () => 0, after: () => () => undefined },
    background: { run: (_what, work) => void work.catch(() => undefined) },
  });
  const subscribe = (id: string, allowed_groups: string[]) => {
    groups.set(id, allowed_groups);
    const caller = { user_id: 1, credential: { kind: 'session', id }, allowed_groups, is_admin: false };
    return events.subscribe(caller as unknown as Caller);
  };
  return {
    ...{ groups, standing, listing, subscribe },
    look: () => round(),
    publish(rows: VisibleStatusRow[]) {
      revision += 1;
      news = rows;
    },
  };
}

const idsOf = (statuses: object | undefined) => Object.keys(statuses ?? {});

describe('A subscriber to status events', () => {
  it('is not disconnected by a round that began before it subscribed', async () => {
    const { subscribe, standing, look, publish } = setUp();
    await (await subscribe('first', ['lab'])).next();
    standing.shut();
    look();
    await settled();
    const second = await subscribe('second', ['lab']);
    expect(idsOf(await second.next())).toEqual(['1']);
    publish([{ ...uncheckedRow(1), group: 'lab' }]);
    standing.open();
    expect(idsOf(await second.next())).toEqual(['1']);
  });

  it('gets what it may see now, not what it could see when the round began', async () => {
    const { groups, subscribe, listing, look } = setUp();
    listing.shut();
    const coming = subscribe('mover', ['lab']);
    await settled();
    groups.set('mover', ['ops']);
    look();
    await settled();
    listing.open();
    const stream = await coming;
    expect(idsOf(await stream.next())).toEqual(['2']);
  });
});
