import { describe, expect, it } from 'vitest';
import { archiveRoots } from '#core/files/archive-names.ts';

describe('Names in an archive', () => {
  it.each([
    ['one directory alone stands at the top', ['/srv/www'], undefined, ['']],
    ['several keep their names', ['/srv/a', '/srv/b/'], undefined, ['a', 'b']],
    [
      'names that would be the same are numbered',
      ['/a/x', '/b/x', '/c/x'],
      undefined,
      ['x', 'x (2)', 'x (3)'],
    ],
    ['names begin below the base path', ['/srv/a/b', '/srv/c'], '/srv', ['a/b', 'c']],
    ['the base path itself stands at the top', ['/srv'], '/srv/', ['']],
    ['everything lies below the root', ['/a/b'], '/', ['a/b']],
  ])('%s', (_what, paths, base_path, names) => {
    expect(archiveRoots(paths, base_path)).toEqual(names);
  });

  it('refuses a path outside the base path, by segments', () => {
    expect(() => archiveRoots(['/srvx/a'], '/srv')).toThrow('outside its `base_path`');
  });
});
