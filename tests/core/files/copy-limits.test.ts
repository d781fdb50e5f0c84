import { describe, expect, it } from 'vitest';
import type { CopySource, CopyTarget } from '#core/files/copies/ends.ts';
import { copyTree } from '#core/files/copies/tree.ts';
import type { FileStat, Walked } from '#core/ports/files.ts';
import { handClock } from '../../support/hand-clock.ts';

const signal = new AbortController().signal;
const DIRECTORY: FileStat = { kind: 'directory', size: 0, mode: 0o755, modified: '2026-01-02T03:04:05.000Z' };

const directory = (relative: string): Walked => ({ path: `/srv/${relative}`, relative, stat: DIRECTORY });

/** As a mount shows it: each directory contains the next one. */
function* nested(levels: number): Generator<Walked> {
  yield directory('');
  let relative = 'd';
  for (let level = 1; level <= levels; level += 1, relative += '/d') yield directory(relative);
}

function* beside(count: number): Generator<Walked> {
  yield directory('');
  for (let n = 1; n < count; n += 1) yield directory(`d${n}`);
}

/** Copies what this host lists; the marker is hidden. */
function copyOf(
  listed: Generator<Walked>,
  limits?: { depth: number; entries: number; paths_length: number },
  { watch, count = Promise.resolve() }: { watch?: () => void; count?: Promise<void> } = {},
) {
  let walks = watch ? 0 : 1;
  const walk = async function* () {
    walks += 1;
    if (walks === 1)
      await count; // the walk that counts begins first
    else yield* listed;
  };
  const made: string[] = [];
  const from = { session: { walk }, real: { source_path: '/srv' }, signal } as unknown as CopySource;
  const session = { makeDirectory: async (path: string) => void made.push(path) };
  const to = { session, signal } as unknown as CopyTarget;
  const place = { real_path: '/srv/copy', shown_path: '/srv/copy' };
  const rest = { overwrite: false, marker_name: 'marker', watch, user_id: 1 };
  const copied = copyTree(
    {
      from,
      to,
      place,
      ...rest,
      replacements: { put: async () => ({ size: 0, in_place: false, is_mode_kept: true }) },
      clock: handClock(),
      meter: { add: () => undefined },
    },
    limits,
  );
  return { copied, made };
}

describe('The copy of a directory', () => {
  it('ends at 100 nested directories, and names the limit and the path', async () => {
    const { copied, made } = copyOf(nested(5000));
    await expect(copied).rejects.toMatchObject({
      code: 'tree_too_large',
      detail: expect.stringMatching(/^A copy ends at 100 nested directories: \/srv\/d\/d/),
    });
    expect(made).toHaveLength(101);
  });

  it('ends at a total of entries, and names it', async () => {
    const { copied } = copyOf(beside(5000), { depth: 10, entries: 1000, paths_length: 1_000_000 });
    await expect(copied).rejects.toMatchObject({
      code: 'tree_too_large',
      detail: 'A copy ends at 1,000 entries: /srv/d1000',
    });
  });

  it('ends at a total length of paths, and names it', async () => {
    const { copied } = copyOf(beside(5000), { depth: 10, entries: 10_000, paths_length: 5000 });
    await expect(copied).rejects.toMatchObject({
      code: 'tree_too_large',
      detail: expect.stringMatching(/^A copy ends at 5,000 characters in the paths of all directories: /),
    });
  });

  it('does not wait for a host that lets nobody count', async () => {
    const never = new Promise<void>(() => undefined);
    const { copied } = copyOf(beside(3), undefined, { watch: () => undefined, count: never });
    expect(await copied).toMatchObject({ files: 0, skipped: [] });
  });

  it('includes everything within the limits', async () => {
    await copyOf(nested(100)).copied;
    await copyOf(beside(1000), { depth: 1, entries: 1000, paths_length: 100_000 }).copied;
  });
});
