import { describe, expect, it } from 'vitest';
import { crumbsOf, isAllowed, nameOf, parentOf, tidyPath } from '../../../apps/web/lib/paths.ts';

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
    ['/var//log/', '/var/log'],
    ['/var/./log/../tmp', '/var/tmp'],
    ['/../..', '/'],
    [' etc ', '/etc'],
  ])('normalizes %j to %s', (typed, path) => {
    expect(tidyPath(typed)).toBe(path);
  });
});
