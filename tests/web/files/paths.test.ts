import { describe, expect, it } from 'vitest';
import {
  afterMove,
  crumbsOf,
  isAbsolute,
  isAllowed,
  isByteName,
  isWithin,
  joinPath,
  movedTo,
  nameOf,
  parentOf,
  tidyPath,
} from '../../../apps/web/lib/paths.ts';

describe('remote paths in the file browser', () => {
  it('lists every directory of the path', () => {
    expect(crumbsOf('/var/log')).toEqual([
      { name: '/', path: '/' },
      { name: 'var', path: '/var' },
      { name: 'log', path: '/var/log' },
    ]);
  });

  it.each([
    ['/', '/'],
    ['/var', '/'],
    ['/var/log', '/var'],
    ['/var/log/', '/var'],
  ])('gives %s the parent %s', (path, parent) => {
    expect(parentOf(path)).toBe(parent);
  });

  it('names the root and the entries below it', () => {
    expect([nameOf('/'), nameOf('/etc/hosts')]).toEqual(['/', 'hosts']);
  });

  it.each([
    ['/srv', true],
    ['/srv/www', true],
    ['/srvx', false],
    ['/', false],
  ])('compares %s by segments', (path, allowed) => {
    expect(isAllowed(path, ['/srv/'])).toBe(allowed);
  });

  it('allows everything when no directory is listed, or the root is', () => {
    expect([isAllowed('/etc', []), isAllowed('/etc', ['/'])]).toEqual([true, true]);
  });

  it.each([
    ['/srv/a.txt', '/srv/a.txt', '/srv/b.txt', '/srv/b.txt'],
    ['/srv/old/sub/a', '/srv/old', '/new/', '/new/sub/a'],
    ['bytes:/srv/caf%E9/a', 'bytes:/srv/caf%E9', '/srv/café', '/srv/café/a'],
    ['/srv/a', '/srv', 'bytes:/caf%E9', 'bytes:/caf%E9/a'],
  ])('follows %s when %s is moved to %s', (path, from, to, after) => {
    expect(afterMove(path, from, to)).toBe(after);
  });

  it.each([
    ['/var//log/', '/var/log'],
    ['/var/./log/../tmp', '/var/tmp'],
    ['/../..', '/'],
    [' etc ', '/etc'],
  ])('normalizes %j to %s', (typed, path) => {
    expect(tidyPath(typed)).toBe(path);
  });
});

describe('a path with a name that is not UTF-8', () => {
  const path = 'bytes:/srv/caf%E9/a%20b';

  it('has readable names, and a text for each directory that is UTF-8', () => {
    expect(crumbsOf(path)).toEqual([
      { name: '/', path: '/' },
      { name: 'srv', path: '/srv' },
      { name: 'caf\ufffd', path: 'bytes:/srv/caf%E9' },
      { name: 'a b', path },
    ]);
    expect([nameOf('bytes:/srv/caf%E9'), nameOf(path), nameOf('/srv/a%20b')]).toEqual([
      'caf\ufffd',
      'a b',
      'a%20b',
    ]);
  });

  it('has a parent, which is text if it is UTF-8', () => {
    expect(parentOf(path)).toBe('bytes:/srv/caf%E9');
    expect([parentOf('bytes:/srv/caf%E9'), parentOf('bytes:/%FF')]).toEqual(['/srv', '/']);
  });

  it('takes names and relative paths below it', () => {
    expect(joinPath('bytes:/%FF', "100% (ü)'s")).toBe('bytes:/%FF/100%25%20%28%C3%BC%29%27s');
    expect(tidyPath(joinPath('bytes:/srv/%FF', '../a b'))).toBe('/srv/a b');
  });

  it.each([
    ['/srv', 'bytes:/x/caf%E9', 'bytes:/srv/caf%E9'],
    ['/a b', 'bytes:/x/caf%E9', 'bytes:/a%20b/caf%E9'],
    ['/', 'bytes:/x/%FF', 'bytes:/%FF'],
    ['/srv', 'bytes:/%FF/a%20b', '/srv/a b'],
    ['bytes:/%FF', '/srv/100%', 'bytes:/%FF/100%25'],
    ['/srv', '/x/a%20b', '/srv/a%20b'],
  ])('keeps its name in %s: %s becomes %s', (directory, from, to) => {
    expect(movedTo(directory, from)).toBe(to);
  });

  it('is inside directories of either spelling', () => {
    expect([isWithin(path, '/srv'), isWithin(path, '/'), isWithin(path, 'bytes:/srv/caf%E9')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isWithin(path, 'bytes:/srv/caf%E8'), isWithin('bytes:/srvx/%FF', '/srv')]).toEqual([
      false,
      false,
    ]);
  });

  it('can be typed, and is told apart from a literal escape', () => {
    expect(tidyPath(' bytes:/srv//caf%E9/./x/.. ')).toBe('bytes:/srv/caf%E9');
    expect([isAbsolute(path), isAbsolute('bytes:x')]).toEqual([true, false]);
    expect([isByteName('bytes:/caf%E9'), isByteName(path), isByteName('/caf%E9')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
