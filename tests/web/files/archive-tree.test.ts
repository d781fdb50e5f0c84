import { describe, expect, it } from 'vitest';
import type { ArchiveEntry } from '#client/transfers/archive.ts';
import { crumbsTo, treeOf } from '../../../apps/web/files/archive/tree.ts';

const entry = (name: string, is_dir = false): ArchiveEntry => ({
  ...{ name, is_dir, size: 1, compressed_size: 1, modified: '2024-05-06T07:08:10Z' },
  ...{ is_link: false, is_encrypted: false, is_supported: true },
});

describe('The directories of an archive', () => {
  it('are implied by the names of files, once, before the files', () => {
    const tree = treeOf(['b.txt', 'docs/deep/a', 'docs/b10', 'docs/b9'].map((name) => entry(name)));
    const names = (path: string) => tree.get(path)?.map(({ name, is_dir }) => (is_dir ? `${name}/` : name));
    expect(names('')).toEqual(['docs/', 'b.txt']);
    expect(names('docs')).toEqual(['deep/', 'b9', 'b10']);
    expect(names('docs/deep')).toEqual(['a']);
  });

  it('are listed once when the archive has them, too', () => {
    const tree = treeOf([entry('d/x'), entry('d', true), entry('d', true)]);
    expect(tree.get('')?.map(({ path }) => path)).toEqual(['d']);
  });

  it('keep unsafe names visible', () => {
    expect(
      treeOf([entry('../up')])
        .get('..')
        ?.map(({ path }) => path),
    ).toEqual(['../up']);
    expect(treeOf([entry('/abs')]).size).toBeGreaterThan(0);
  });

  it('are not built from a name with thousands of them', () => {
    expect(treeOf([entry('d/'.repeat(32_000))]).size).toBe(1);
  });

  it('have crumbs', () => {
    expect(crumbsTo('a/b').map(({ path }) => path)).toEqual(['a', 'a/b']);
  });
});
