import { describe, expect, it } from 'vitest';
import { createActivityRegistry } from '#core/activities/registry.ts';
import type { AuditTrail } from '#core/audit/trail.ts';
import { Fault } from '#core/errors.ts';
import { createFileAccess } from '#core/files/access.ts';
import { createFileChanges } from '#core/files/changes.ts';
import { createHolds } from '#core/files/holds.ts';
import { createReplacements } from '#core/files/replacements.ts';
import { createSaves } from '#core/files/saves.ts';
import { createPartKeeper } from '#core/files/uploads/part-keeper.ts';
import { createUploadParts } from '#core/files/uploads/parts.ts';
import { createUploads } from '#core/files/uploads/uploads.ts';
import type { Connections } from '#core/hosts/connections.ts';
import { createReach } from '#core/hosts/reach.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { UploadRow } from '#core/model/files/upload.ts';
import { createMeter } from '#core/overview/meter.ts';
import type { FileSession } from '#core/ports/files.ts';
import { serverRow } from '../../support/databases/rows.ts';
import { handClock } from '../../support/hand-clock.ts';
import { uploadsInMemory } from './uploads-in-memory.ts';

const NEVER = new AbortController().signal;
const SERVER = { id: 1, ...serverRow({ name: 'box', sftp_allowed_paths: ['/srv'] }) };
const LABEL = 'box (#1): ';
const CALLER: Caller = {
  user_id: 1,
  username: 'admin',
  is_admin: true,
  allowed_groups: [],
  must_change_password: false,
  credential: { kind: 'session', id: 'one' },
  scopes: ['files'],
  is_fresh: true,
  in_demo: false,
  ip_address: '127.0.0.1',
  via: 'page',
};
const WHOLE: UploadRow = {
  id: 'upload',
  user_id: 1,
  server_id: 1,
  part_path: '/srv/.sallyport-part.part',
  target_path: '/srv/a',
  shown_path: '/srv/a',
  length: 5,
  overwrite: true,
  metadata: '',
  created_at: SERVER.created_at,
  expires_at: SERVER.created_at,
};

async function* content() {
  yield Buffer.from('hello');
}

async function* files(...names: string[]) {
  for (const name of names) yield { name, content: content() };
}

/** A host whose connection is lost at the point the test chooses, and every service that changes its files. */
function setUp(host: Partial<FileSession>, unrecorded?: Fault) {
  const details: string[] = [];
  const trail: AuditTrail = {
    async record(_actor, _action, detail) {
      if (unrecorded) throw unrecorded;
      details.push(detail);
    },
    fire: async () => {},
    recordAll: async (_actor, _action, { label, items }) => {
      if (items.length > 0) details.push(label + items.join(', '));
    },
  };
  const done = async () => {};
  const session = {
    realpath: async (path: string) => path,
    statOf: async (path: string) => (path === '/srv' ? { kind: 'directory' } : undefined),
    makeDirectory: done,
    createPart: done,
    removePart: done,
    putPart: async () => ({ size: 5, in_place: false, is_mode_kept: true }),
    partSize: async () => 5,
    placePart: done,
    release: () => {},
    ...host,
  } as unknown as FileSession; // The test needs nothing else of it.
  const clock = handClock();
  const background = { run: (_what: string, work: Promise<unknown>) => void work.catch(() => undefined) };
  const { uploads: repository, rows } = uploadsInMemory();
  rows.set(WHOLE.id, { ...WHOLE, abandoned: false });
  const holds = { take: async () => true, claim: async () => undefined, release: done, removeExpired: done };
  const access = createFileAccess({
    reach: createReach({ servers: { byId: async () => SERVER } }),
    connections: { targetFor: async () => ({ hops: [] }) } as unknown as Connections, // nobody is dialled
    files: { open: async () => session, drop() {}, dropOwner() {} },
    activities: createActivityRegistry(),
  });
  const keeper = createPartKeeper({ repositories: { uploads: repository }, clock, background, left() {} });
  const replacements = createReplacements(keeper);
  const turns = createHolds({ repositories: { holds }, clock, background });
  return {
    details,
    changes: createFileChanges({ access, trail }),
    saves: createSaves({ access, replacements, holds: turns, trail }),
    uploads: createUploads({
      access,
      replacements,
      trail,
      meter: createMeter(),
      settings: { values: { max_upload_size: 0 } },
    }),
    parts: createUploadParts({ repositories: { uploads: repository }, keeper, trail, clock }),
    own: { caller: CALLER, server: SERVER, session, signal: NEVER, row: WHOLE },
  };
}

type Scene = ReturnType<typeof setUp>;

const failing = (code: Fault['code']) => async () => {
  throw new Fault(code);
};

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );
}

const renames = ({ changes }: Scene) =>
  changes.rename(CALLER, { server_id: 1, old_path: '/srv/a', new_path: '/srv/b', overwrite: false });
const makes = ({ changes }: Scene) => changes.makeDirectory(CALLER, { server_id: 1, path: '/srv/a' });
const writes = ({ saves }: Scene) => saves.write(CALLER, { server_id: 1, path: '/srv/a', content: 'x' }, {});
const settles = ({ parts, own }: Scene) => parts.settle(own, NEVER);

const CHANGES: readonly [string, keyof FileSession, (scene: Scene) => Promise<unknown>, string][] = [
  ['a rename', 'rename', renames, '/srv/a to /srv/b'],
  ['a new directory', 'makeDirectory', makes, '/srv/a'],
  ['a saved text', 'putPart', writes, '/srv/a'],
  ['a resumable upload', 'placePart', settles, '/srv/a'],
];

describe('A host that is lost during a change', () => {
  it.each(CHANGES)('has %s recorded together with the failure', async (_what, step, work, about) => {
    const scene = setUp({ [step]: failing('host_disconnected') });
    expect(await codeOf(work(scene))).toBe('host_disconnected');
    expect(scene.details).toEqual([`${LABEL}${about}: host_disconnected`]);
  });

  it.each(CHANGES)('has no record of %s that it refused', async (_what, step, work) => {
    const scene = setUp({ [step]: failing('permission_denied') });
    expect(await codeOf(work(scene))).toBe('permission_denied');
    expect(scene.details).toEqual([]);
  });

  it('has the parent directories recorded that it had created', async () => {
    let made = 0;
    const makeDirectory = async () => {
      made += 1;
      if (made === 3) throw new Fault('operation_timeout');
    };
    const scene = setUp({ makeDirectory });
    const path = '/srv/p/q/r';
    const work = scene.changes.makeDirectory(CALLER, { server_id: 1, path, parents: true });
    expect(await codeOf(work)).toBe('operation_timeout');
    expect(scene.details).toEqual([`${LABEL}/srv/p, /srv/p/q, ${path}: operation_timeout`]);
  });

  it('has every completed file of an upload recorded, and the one that may be complete', async () => {
    let placed = 0;
    const putPart = async () => {
      placed += 1;
      if (placed === 2) throw new Fault('host_disconnected');
      return { size: 5, in_place: false, is_mode_kept: true };
    };
    const { uploads, details } = setUp({ putPart });
    const sent = uploads.upload(
      CALLER,
      { server_id: 1, path: '/srv', overwrite: true, signal: NEVER },
      files('a', 'b'),
    );
    expect(await codeOf(sent)).toBe('host_disconnected');
    expect(details).toEqual([`${LABEL}/srv/a, /srv/b: host_disconnected`]);
  });
});

describe('A resumable upload that is complete but not recorded', () => {
  it.each([
    ['database_unavailable', true],
    ['database_full', true],
    ['internal', false],
  ] as const)('is reported as finished when its entry is pending: %s, %s', async (code, is_told) => {
    const scene = setUp({}, new Fault(code));
    expect(await codeOf(settles(scene))).toBe(code);
    expect((await scene.parts.finished(WHOLE.id)) !== undefined).toBe(is_told);
  });
});
