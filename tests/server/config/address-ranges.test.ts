import { describe, expect, it } from 'vitest';
import { createAddressMatcher } from '#server/lib/address-ranges.ts';

describe('An address range', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.0.0.1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '10.1.2.3', false],
    ['::/0', '0:0:0:0:0:ffff:7f00:1', false],
    ['0:0:0:0:0:ffff:a00:0/104', '10.1.2.3', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
  ])('%s contains %s: %s', (range, address, is_in) => {
    expect(createAddressMatcher([range])(address)).toBe(is_in);
  });

  it.each(['10.0.0.0/33', '::ffff:10.0.0.0/24', '10.0.0/8', 'host', '10.0.0.0/', '10.0.0.0/8/9'])(
    'refuses %s',
    (range) => {
      expect(() => createAddressMatcher([range])).toThrow();
    },
  );
});
