import { describe, expect, it } from 'vitest';
import {
  bitOf,
  fromOctal,
  locksOwnerOut,
  modeOf,
  specialBit,
  toOctal,
} from '../../../apps/web/files/dialogs/mode.ts';

describe('permissions', () => {
  it.each([
    ['-rw-r--r--', '644'],
    ['drwxr-xr-x', '755'],
    ['-rwsr-xr-x', '4755'],
    ['drwxrwsr-x', '2775'],
    ['drwxrwxrwt', '1777'],
    ['-rwSr--r-T', '5644'],
    ['----------', '000'],
  ])('%s are %s', (permissions, octal) => {
    expect(toOctal(modeOf(permissions) ?? -1)).toBe(octal);
    expect(fromOctal(octal)).toBe(modeOf(permissions));
  });

  it('are not guessed from another notation', () => {
    expect([modeOf('?'), modeOf('-rw-r--r--+')]).toEqual([undefined, undefined]);
  });

  it.each(['8', '64', '00644', 'rwx', ''])('are not the number %j', (typed) => {
    expect(fromOctal(typed)).toBeUndefined();
  });

  it('have one bit per check box', () => {
    expect([bitOf('owner', 'read'), bitOf('group', 'write'), bitOf('others', 'execute')]).toEqual([
      0o400, 0o20, 1,
    ]);
    expect([specialBit('setuid'), specialBit('setgid'), specialBit('sticky')]).toEqual([
      0o4000, 0o2000, 0o1000,
    ]);
  });

  it('come with a warning when they lock the owner out of a directory', () => {
    expect([locksOwnerOut(0o644), locksOwnerOut(0o500)]).toEqual([true, false]);
  });
});
