import { describe, expect, it } from 'vitest';
import type { AuditTrail } from '#core/audit/trail.ts';
import { Fault } from '#core/errors.ts';
import { createPartRemovals } from '#core/hosts/part-removals/part-removals.ts';
import type { PartRemovalRow } from '#core/model/hosts/part-removal.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import type { FileSession } from '#core/ports/files.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { handClock } from '../../support/hand-clock.ts';
import { uploadsInMemory } from '../files/uploads-in-memory.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SERVER = { id: 3, name: 'box' } as ServerRow;
const PARTS = ['a', 'b'].map((id) => ({ id, part_path: `/srv/.sallyport-${id.repeat(12)}.part` }));

interface Host {
  readonly open?: () => Promise<void>;
  readonly remove?: (path: string) => Promise<void>;
  readonly refused_at?: string;
  readonly parts?: typeof PARTS;
}

function removalsInMemory(parts: typeof PARTS) {
  const rows = new Map<number, PartRemovalRow>();
  const left = new Map(parts.map((part) => [part.id, part]));
  const part_removals: Repositories['part_removals'] = {
    byServer: async (id) => rows.get(id),
    async takeDue({ now, again_at }) {
      const due = [...rows.values()].filter(({ next_at }) => next_at <= now);
      for (const row of due) rows.set(row.server_id, { ...row, next_at: again_at });
      return due;
    },
    async postpone(id, next) {
      const row = rows.get(id);
      if (row) rows.set(id, { ...row, ...next });
      return row !== undefined;
    },
    parts: async () => [...left.values()],
    removePart: async (id) => void left.delete(id),
    end: async (id) => rows.delete(id),
  };
  return { part_removals, rows, left };
}

function setUp({ open, remove, refused_at, parts = PARTS }: Host = {}) {
  const clock = handClock(MINUTE_MS);
  const { part_removals, rows, left } = removalsInMemory(parts);
  const opened: number[] = [];
  const audited: string[] = [];
  const started_ms = clock.elapsed_ms();
  const session: Pick<FileSession, 'removePart' | 'release'> = {
    removePart: async (path) => remove?.(path),
    release() {},
  };
  const server_statuses = { byServer: async () => (refused_at ? { refused_at } : undefined) };
  const trail: Pick<AuditTrail, 'recordAll'> = {
    recordAll: async (_who, _action, { label, items }) => void audited.push(label + items.join(', ')),
  };
  const removals = createPartRemovals({
    repositories: { part_removals, uploads: uploadsInMemory().uploads, server_statuses } as never,
    kept_connections: { seal: async () => ({ sealed: 'sealed' }), open: async () => ({}) as never },
    files: {
      async open() {
        opened.push((clock.elapsed_ms() - started_ms) / MINUTE_MS);
        await open?.();
        return session as FileSession;
      },
      drop() {},
      dropOwner() {},
    },
    trail: trail as AuditTrail,
    clock,
    background: { run: (_what, work) => void work.catch(() => undefined) },
    log: { debug() {}, info() {}, error() {}, warn() {} },
  });
  async function remove_server(): Promise<void> {
    const { kept, begin } = await removals.prepare(SERVER);
    if (kept) rows.set(3, { server_id: 3, server_name: 'box', failures: 0, ...kept });
    await begin();
  }
  async function pass(ms: number): Promise<void> {
    for (let minute = 0; minute < ms / MINUTE_MS; minute += 1) {
      await clock.pass(MINUTE_MS);
      await removals.sweep();
    }
  }
  return { remove_server, pass, rows, left, opened, audited };
}

describe('Part files of a deleted server', () => {
  it('are removed at once, with their paths in the audit log', async () => {
    const { remove_server, rows, left, audited } = setUp();
    await remove_server();
    expect([rows.size, left.size]).toEqual([0, 0]);
    expect(audited).toEqual([`box (#3): removed ${PARTS.map(({ part_path }) => part_path).join(', ')}`]);
  });

  it('are tried again with growing pauses', async () => {
    const open = async () => {
      throw new Fault('host_unreachable');
    };
    const { remove_server, pass, opened } = setUp({ open });
    await remove_server();
    await pass(24 * HOUR_MS);
    expect(opened).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 871, 1231]);
  });

  it('cost at most one refusal an hour', async () => {
    const open = async () => {
      throw new Fault('host_auth_failed');
    };
    const { remove_server, pass, opened } = setUp({ open });
    await remove_server();
    await pass(5 * HOUR_MS);
    expect(opened).toEqual([0, 60, 120, 180, 240, 300]);
  });

  it('wait for an hour when a check of the host was refused just before', async () => {
    const { remove_server, pass, opened } = setUp({ refused_at: '2026-01-02T03:00:00.000Z' });
    await remove_server();
    expect(opened).toEqual([]);
    await pass(HOUR_MS);
    expect(opened).toEqual([60]);
  });

  it('are given up after seven days, with an audit entry that names them', async () => {
    const remove = async (path: string) => {
      if (path === PARTS[0]?.part_path) throw new Fault('permission_denied');
    };
    const { remove_server, pass, rows, audited } = setUp({ remove });
    await remove_server();
    await pass(7 * 24 * HOUR_MS);
    const [first, second] = PARTS.map(({ part_path }) => part_path);
    expect(audited).toEqual([
      `box (#3): removed ${second}`,
      `box (#3): gave up after 7 days, left on the host: ${first}`,
    ]);
    expect(rows.size).toBe(0);
  });

  it('are recognized by the gateway’s own naming', async () => {
    const asked: string[] = [];
    const remove = async (path: string) => void asked.push(path);
    const parts = [{ id: 'x', part_path: '/etc/passwd' }];
    const { remove_server, rows, audited } = setUp({ remove, parts });
    await remove_server();
    expect([asked, audited, rows.size]).toEqual([[], [], 0]);
  });
});
