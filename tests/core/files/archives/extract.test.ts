import { describe, expect, it } from 'vitest';
import { Fault, toFault } from '#core/errors.ts';
import { boundedTotal } from '#core/files/archives/bounds.ts';
import { extractAll } from '#core/files/archives/extract.ts';
import { createUserSlots } from '#core/files/archives/extractions.ts';
import { planExtraction } from '#core/files/archives/plan.ts';
import { createTally } from '#core/files/archives/tally.ts';
import { lookAtTarget } from '#core/files/archives/target.ts';
import { createArchiveTurns } from '#core/files/archives/turns.ts';
import type { Replacements } from '#core/files/replacements.ts';
import type { DirectoryEntry } from '#core/model/files/directory-entry.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import type { FileSession } from '#core/ports/files.ts';
import type { RemoteZip, ZipMember } from '#core/ports/zip.ts';
import { handClock } from '../../../support/hand-clock.ts';

const MIB = 1024 ** 2;

const member = (name: string): ZipMember => ({
  ...{ name, kind: 'file', size: 1, compressed_size: 1, crc: 0, modified: '2024-05-06T07:08:10Z' },
  ...{ mode: undefined, method: 0, is_encrypted: false, offset: 0 },
  stored_name: { length: name.length, crc: 0 },
});

describe('The plan of an extraction', () => {
  it('refuses names that imply millions of directories', async () => {
    const members = Array.from({ length: 2000 }, (_, nth) => member(`${nth}/${'d/'.repeat(98)}x`));
    await expect(planExtraction(members, '/t')).rejects.toMatchObject({ code: 'archive_too_large' });
  });

  it('skips what Windows takes for the parent', async () => {
    const { files, skipped } = await planExtraction(['.. /x', 'a/...', '..x', '. .'].map(member), '/t');
    expect(files.map(({ name }) => name)).toEqual(['..x', '. .']);
    expect(skipped.map(({ fault }) => fault.code)).toEqual(['member_name', 'member_name']);
  });

  it('refuses names that imply gigabytes of paths', async () => {
    const members = Array.from({ length: 900 }, (_, nth) => member(`${nth}/${'directories/'.repeat(98)}x`));
    const code = await planExtraction(members, '/t').catch((error: unknown) => toFault(error).code);
    expect(code).toBe('archive_too_large');
    await expect(planExtraction([member('x')], 'r'.repeat(33 * MIB))).rejects.toThrow(Fault);
  });

  it('skips a name that no host takes, and one that is too deep', async () => {
    const names = ['é'.repeat(128), `${'d/'.repeat(100)}x`];
    const { files, skipped } = await planExtraction(names.map(member), '/t');
    expect(files).toEqual([]);
    expect(skipped.map(({ fault }) => fault.code)).toEqual(['name_too_long', 'member_name']);
  });
});

describe('A content that grows more than 200-fold', () => {
  const refusalOf = (mib: number, free_mib: number | undefined) => {
    try {
      const image = { ...member('disk.img'), size: mib * MIB, compressed_size: mib * 1024 };
      return boundedTotal([image], free_mib && free_mib * MIB).files;
    } catch (error) {
      return toFault(error).code;
    }
  };

  it('is refused where it takes more than 64 MiB and a tenth of the free space', () => {
    expect([refusalOf(64, 100), refusalOf(8000, 80_000), refusalOf(64, undefined)]).toEqual([1, 1, 1]);
    expect([refusalOf(65, 100), refusalOf(8001, 80_000), refusalOf(65, undefined)]).toEqual(
      Array(3).fill('archive_bomb'),
    );
  });
});

describe('A look at the target', () => {
  const listed = (name: string): DirectoryEntry => ({
    ...{ name, path: `/t/${name}`, is_dir: false, is_symlink: false, link_target: null, size: 1 },
    ...{ permissions: '', owner: '', group: '', modified: '2024-05-06T07:08:10Z', addressable: true },
  });
  const session = {
    statOf: async () => ({ kind: 'directory', size: 0, mode: 0o755, modified: '2024-05-06T07:08:10Z' }),
    list: async () => ['a.txt', 'a (2).txt', 'other'].map(listed),
  } as unknown as FileSession;
  const place = { session, real_path: '/t', archive_path: '/a.zip', signal: new AbortController().signal };

  it('chooses names that neither the host nor the archive has', async () => {
    const plan = await planExtraction(['a.txt', 'a (3).txt', 'b'].map(member), '/t');
    const { files } = await lookAtTarget(plan, { ...place, on_conflict: 'rename' });
    expect(files.map(({ path }) => path)).toEqual(['/t/a (4).txt', '/t/a (3).txt', '/t/b']);
  });
});

/** A host that ignores case. */
function caseBlindHost(taken = new Set<string>()) {
  const take = (path: string) => {
    const name = path.toLowerCase();
    if (taken.has(name)) throw new Fault('already_exists');
    taken.add(name);
  };
  const session = {
    statOf: async () => undefined,
    makeDirectory: async (path: string) => take(path),
  } as unknown as FileSession;
  const replacements: Replacements = {
    put: async (_session, _server, { target_path, overwrite }) => {
      if (!overwrite) take(target_path);
      return { size: 1, in_place: false, is_mode_kept: true };
    },
  };
  return { session, replacements };
}

describe('On a host that ignores case, an extraction', () => {
  it('skips names that differ from others in case only, and says so', async () => {
    const { session, replacements } = caseBlindHost();
    const signal = new AbortController().signal;
    const plan = await planExtraction(['Makefile', 'makefile', 'Docs/a', 'docs/b'].map(member), '/t');
    const place = {
      session,
      real_path: '/t',
      archive_path: '/a.zip',
      on_conflict: 'overwrite',
      signal,
    } as const;
    const target = await lookAtTarget(plan, place);
    const skipped: string[] = [];
    const tally = createTally({
      total: { bytes: 4, files: 4 },
      watch: (event) => event.type === 'skipped' && skipped.push(`${event.name}: ${event.code}`),
      clock: handClock(1000),
      meter: { add: () => {} },
    });
    const zip: RemoteZip = {
      readDirectory: () => Promise.reject(new Error('It has been read')),
      content: async function* () {},
      close: async () => {},
    };
    const server = { id: 3, name: 'box' } as ServerRow;
    await extractAll({
      session,
      server,
      user_id: 1,
      replacements,
      zip,
      ends: new Map(),
      target,
      tally,
      signal,
    });
    expect(skipped.sort()).toEqual(['docs/b', 'docs', 'makefile'].map((name) => `${name}: already_exists`));
    expect(tally.end('/t')).toMatchObject({ created: 2, directories: 2 });
  });
});

describe('Extractions of one user', () => {
  it('are limited, and one that ends makes room', () => {
    const enter = createUserSlots(1);
    const leave = enter(1);
    enter(2);
    const code = () => {
      try {
        return enter(1) && 'entered';
      } catch (error) {
        return toFault(error).code;
      }
    };
    expect(code()).toBe('too_many_extractions');
    leave();
    expect(code()).toBe('entered');
  });
});

describe('Archives that are read', () => {
  /** Of a host that does not answer. */
  const never = () => new Promise<never>(() => {});
  const { signal } = new AbortController();

  function setUp() {
    const clock = handClock(1000);
    const read: string[] = [];
    const turns = createArchiveTurns(clock.after);
    const note = (name: string, user_id: number, gone = new AbortController().signal) =>
      turns({ user_id, signal: gone }, async () => void read.push(name));
    return { clock, read, turns, note };
  }

  it('take turns, one for each user, and a slow host loses its turn', async () => {
    const { clock, read, turns, note } = setUp();
    void turns({ user_id: 1, signal }, never);
    void note('second of the first user', 1);
    await note('of the second user', 2);
    expect(read).toEqual(['of the second user']);
    await clock.pass(10_000);
    expect(read).toEqual(['of the second user', 'second of the first user']);
  });

  it('are not read when their caller has left, and refused when a hundred wait', async () => {
    const { read, turns, note } = setUp();
    void turns({ user_id: 1, signal }, never);
    const leaving = new AbortController();
    const left = note('left', 1, leaving.signal);
    leaving.abort(new Fault('transfer_ended'));
    await expect(left).rejects.toMatchObject({ code: 'transfer_ended' });
    for (let count = 0; count < 100; count += 1) void note('waiting', 1);
    await expect(note('too many', 1)).rejects.toMatchObject({ code: 'too_many_archives' });
    expect(read).toEqual([]);
  });
});
