import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { createRecordingsDirectory } from '#core/recordings/directory.ts';
import { createRecordingHomes } from '#core/recordings/homes.ts';

const ROW = { run_id: 'their run', directory_id: 'theirs', file_path: 'a.cast' };

function setUp({
  own = 'ours' as string | null,
  files = [] as string[],
  theirs = ['their run', 'theirs'],
} = {}) {
  const [run_id = '', recordings_directory_id = null] = theirs;
  const instance = {
    run_id,
    recordings_directory_id,
    url: 'http://b.test',
    machine: 'b',
    instance_id: 'b',
    version: null,
  };
  const asked: string[] = [];
  const casts = {
    directoryId: async () => own,
    store: { id: 'the store', check: async () => {}, take: async () => 'missing' as const },
    size: async (path: string) => {
      if (!files.includes(path)) throw new Fault('recording_file_missing');
      return 1;
    },
  };
  const others = {
    list: async () => {
      asked.push('others');
      return theirs.length > 0 ? [{ ...instance, proof: '', clock_skew_ms: 0 }] : [];
    },
  };
  const directory = createRecordingsDirectory(casts);
  return { asked, homes: createRecordingHomes({ others, casts, directory, run_id: 'our run' }) };
}

describe('The home of a recording', () => {
  it.each([
    ['is in a directory that this instance shares', { ...ROW, directory_id: 'ours' }],
    ['is in the store', { ...ROW, directory_id: 'the store' }],
    ['is being written here', { ...ROW, run_id: 'our run' }],
    ['comes from an older version', { ...ROW, directory_id: null }],
  ])('is here when it %s', async (_why, row) => {
    const { homes, asked } = setUp();
    expect(await homes.of(row)).toEqual({ kind: 'here' });
    expect(asked).toEqual([]);
  });

  it.each([
    ['that writes it', ['their run']],
    ['with its directory, after a restart', ['their next run', 'theirs']],
  ])('is the instance %s', async (_which, theirs) => {
    const { homes } = setUp({ theirs });
    expect(await homes.of(ROW)).toEqual({ kind: 'elsewhere', url: 'http://b.test', run_id: theirs[0] });
  });

  it('is away while no instance has its directory, unless its file was moved here', async () => {
    const without = { theirs: ['another run', 'another'] };
    expect(await setUp(without).homes.of(ROW)).toEqual({ kind: 'away' });
    expect(await setUp({ ...without, own: null }).homes.of(ROW)).toEqual({ kind: 'away' });
    expect(await setUp({ ...without, files: ['a.cast'] }).homes.of(ROW)).toEqual({ kind: 'here' });
  });
});
