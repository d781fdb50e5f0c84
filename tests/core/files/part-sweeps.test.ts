import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { createPartSweeps } from '#core/files/uploads/part-sweeps.ts';
import type { Connections } from '#core/hosts/connections.ts';
import type { UploadRow } from '#core/model/files/upload.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import type { FileSession } from '#core/ports/files.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { handClock } from '../../support/hand-clock.ts';
import { uploadsInMemory } from './uploads-in-memory.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SERVER = { id: 3, sftp_enabled: true } as ServerRow;

function targetOf(method: 'password' | 'prompt'): SshTarget {
  return { hops: [{ auth: { method } }] } as unknown as SshTarget;
}

interface Host {
  readonly server?: Partial<ServerRow>;
  readonly method?: 'password' | 'prompt';
  readonly open?: () => Promise<void>;
  readonly remove?: (path: string) => Promise<void>;
}

function setUp({ server = {}, method = 'password', open, remove }: Host = {}) {
  const clock = handClock(MINUTE_MS);
  const { uploads, rows } = uploadsInMemory();
  const warnings: object[] = [];
  const counts = { opened: 0, released: 0 };
  const removed: string[] = [];
  const working: Promise<unknown>[] = [];
  const session: Pick<FileSession, 'removePart' | 'release'> = {
    async removePart(path) {
      await remove?.(path);
      removed.push(path);
    },
    release() {
      counts.released += 1;
    },
  };
  const sweeps = createPartSweeps({
    repositories: {
      uploads,
      servers: { byId: async () => ({ ...SERVER, ...server }) } as unknown as Repositories['servers'],
    },
    connections: { targetOf: async () => targetOf(method) } as unknown as Connections,
    files: {
      async open() {
        counts.opened += 1;
        await open?.();
        return session as FileSession;
      },
      drop() {},
      dropOwner() {},
    },
    clock,
    background: { run: (_what, work) => void working.push(work) },
    log: { debug() {}, info() {}, error() {}, warn: (fields) => void warnings.push(fields) },
  });
  let parts = 0;
  async function leave(change: Partial<UploadRow> = {}): Promise<string> {
    parts += 1;
    const part_path = `/srv/.sallyport-${String(parts).padStart(12, 'x')}.part`;
    const at = clock.now().toISOString();
    const paths = { part_path, target_path: '/srv/a', shown_path: '/srv/a' };
    const row = { id: `${parts}`, user_id: 1, server_id: 3, ...paths, length: null, overwrite: true };
    await uploads.insert({ ...row, metadata: '', created_at: at, expires_at: at, ...change });
    return part_path;
  }
  const opened = async () => {
    sweeps.opened(SERVER, targetOf('prompt'));
    await Promise.all(working);
  };
  const left = async () => {
    sweeps.left(SERVER.id);
    sweeps.left(SERVER.id); // the parts of one stopped transfer are left one by one
    await Promise.all(working);
  };
  return { sweeps, clock, rows, leave, removed, counts, warnings, opened, left };
}

describe('Abandoned part files', () => {
  it('are removed over one connection, however many there are', async () => {
    const { sweeps, leave, removed, rows, counts } = setUp();
    for (let i = 0; i < 90; i += 1) await leave();
    await sweeps.sweep();
    expect([removed.length, rows.size, counts]).toEqual([90, 0, { opened: 1, released: 1 }]);
  });

  it('are kept until they expire', async () => {
    const { sweeps, leave, clock, counts } = setUp();
    await leave({ expires_at: new Date(clock.now().getTime() + 1).toISOString() });
    await sweeps.sweep();
    expect(counts.opened).toBe(0);
  });

  it('are recognized by the gateway’s own naming', async () => {
    const { sweeps, leave, removed, rows } = setUp();
    await leave({ part_path: '/etc/passwd' });
    await leave({ part_path: '/srv/.sallyport-short.part' });
    await leave({ part_path: '/srv/.sallyport-xxxxxxxxxxxx.part/..' });
    await sweeps.sweep();
    expect([removed, rows.size]).toEqual([[], 0]);
  });

  it('stay where SFTP is disabled and where the credential is typed', async () => {
    for (const host of [{ server: { sftp_enabled: false } }, { method: 'prompt' as const }]) {
      const { sweeps, leave, rows, counts } = setUp(host);
      await leave();
      await sweeps.sweep();
      expect([rows.size, counts.opened]).toEqual([1, 0]);
    }
  });

  it('are removed at once after a transfer that was stopped, also because SFTP was disabled', async () => {
    const { leave, left, removed, rows, counts } = setUp({ server: { sftp_enabled: false } });
    const paths = [await leave(), await leave()];
    await left();
    expect([removed, rows.size, counts.released]).toEqual([paths, 0, counts.opened]);
  });

  it('are retried after a host could not be reached', async () => {
    let is_away = true;
    const open = async () => {
      if (is_away) throw new Fault('host_unreachable');
    };
    const { sweeps, leave, removed, clock } = setUp({ open });
    const path = await leave();
    await sweeps.sweep();
    is_away = false;
    await clock.pass(10 * MINUTE_MS);
    await sweeps.sweep();
    expect(removed).toEqual([path]);
  });

  it('do not cause retries with a refused credential', async () => {
    const open = async () => {
      throw new Fault('host_auth_failed');
    };
    const { sweeps, leave, clock, counts } = setUp({ open });
    await leave();
    for (let round = 0; round < 5; round += 1) {
      await sweeps.sweep();
      await clock.pass(10 * MINUTE_MS);
    }
    expect(counts.opened).toBe(1);
  });

  it('are removed even when another one cannot be', async () => {
    const remove = async (path: string) => {
      if (path.includes('1.part')) throw new Fault('permission_denied');
    };
    const { sweeps, leave, removed, rows } = setUp({ remove });
    await leave();
    const second = await leave();
    await sweeps.sweep();
    expect([removed, [...rows.keys()]]).toEqual([[second], ['1']]);
  });

  it('wait for the next sweep when the host disconnects', async () => {
    const remove = async () => {
      throw new Fault('host_disconnected');
    };
    const { sweeps, leave, rows, counts } = setUp({ remove });
    await leave();
    await leave();
    await sweeps.sweep();
    expect([rows.size, counts]).toEqual([2, { opened: 1, released: 1 }]);
  });

  it('are given up after 30 days, with a log line', async () => {
    const remove = async () => {
      throw new Fault('permission_denied');
    };
    const { sweeps, leave, rows, warnings, clock } = setUp({ remove });
    const created_at = new Date(clock.now().getTime() - 31 * DAY_MS).toISOString();
    const part_path = await leave({ created_at });
    await sweeps.sweep();
    expect([rows.size, warnings]).toEqual([0, [{ server_id: 3, part_path }]]);
  });

  it('are removed when somebody connects to the host: at most once a minute, or on demand', async () => {
    const { sweeps, leave, removed, opened } = setUp({ method: 'prompt' });
    const first = await leave();
    await opened();
    const second = await leave();
    await opened();
    expect(removed).toEqual([first]);
    sweeps.left(SERVER.id);
    await opened();
    expect(removed).toEqual([first, second]);
  });
});
