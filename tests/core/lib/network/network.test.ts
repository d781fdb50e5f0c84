import { describe, expect, it } from 'vitest';
import { networkOf, siteOf } from '#core/lib/network/network.ts';

describe('The address that a rate limit counts', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each([
    ['192.0.2.1', undefined],
    ['2001:0DB8:0001:0002::9', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
  ])('%s also counts as the site %s', (address, site) => {
    expect(siteOf(address)).toBe(site);
  });
});
