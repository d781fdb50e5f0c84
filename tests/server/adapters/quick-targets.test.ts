import { describe, expect, it } from 'vitest';
import { createTargetRule } from '#server/adapters/quick-targets.ts';

describe('Quick connect without SERVICE_ALLOWED_TARGETS', () => {
  const isAllowed = createTargetRule([]);

  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'this network'],
    ['::', 'unspecified'],
    ['127.0.0.1', 'loopback'],
    ['127.255.0.9', 'loopback'],
    ['::1', 'loopback'],
    ['::1%lo', 'loopback with a zone'],
    ['169.254.0.1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['febf::1', 'link-local'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.250', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['169.254.169.254', 'metadata'],
    ['100.100.100.200', 'metadata of Alibaba Cloud'],
    ['192.0.0.192', 'metadata of Oracle Cloud'],
    ['168.63.129.16', 'the host agent of Azure'],
    ['fd00:ec2::254', 'metadata of AWS'],
    ['fd20:ce::254', 'metadata of Google Cloud'],
    ['::ffff:127.0.0.1', 'loopback, mapped'],
    ['::ffff:a9fe:a9fe', 'metadata, mapped'],
    ['0:0:0:0:0:ffff:6464:64c8', 'metadata, mapped'],
    ['::127.0.0.1', 'loopback, IPv4-compatible'],
    ['::ffff:0:127.0.0.1', 'loopback, IPv4-translated'],
    ['64:ff9b::7f00:1', 'loopback through NAT64'],
    ['64:ff9b::192.0.0.192', 'metadata through NAT64'],
    ['64:ff9b:1::a9fe:a9fe', 'metadata through the NAT64 of the local network'],
    ['2002:7f00:1::1', 'loopback through 6to4'],
    ['2002:a9fe:a9fe::', 'metadata through 6to4'],
  ])('refuses %s: %s', (address) => {
    expect(isAllowed(address)).toBe(false);
  });

  it.each([
    ['10.0.0.5'],
    ['172.17.0.1'],
    ['192.168.1.1'],
    ['100.64.0.1'],
    ['192.0.2.1'],
    ['203.0.113.7'],
    ['2001:db8::1'],
    ['fd00::1'],
    ['64:ff9b::10.0.0.5'],
    ['2002:a00:5::1'],
  ])('reaches %s', (address) => {
    expect(isAllowed(address)).toBe(true);
  });
});

describe('Quick connect with SERVICE_ALLOWED_TARGETS', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.5', true],
    ['10.0.0.0/8', '203.0.113.7', false],
    ['10.0.0.0/8', '127.0.0.1', false],
    ['127.0.0.0/8', '127.0.0.1', true],
    ['127.0.0.0/8', '::ffff:127.0.0.1', true],
    ['127.0.0.0/8', '10.0.0.5', false],
    ['::1', '::1', true],
    ['169.254.169.254', '169.254.169.254', true],
    ['0.0.0.0/0', '127.0.0.1', true],
    ['64:ff9b::/96', '64:ff9b::10.0.0.5', true],
    ['64:ff9b::/96', '64:ff9b::169.254.169.254', false],
    ['::/0', '2002:7f00:1::1', false],
    ['::/0, 127.0.0.0/8', '2002:7f00:1::1', true],
  ])('%s: %s is %s', (list, address, is_allowed) => {
    expect(createTargetRule(list.split(', '))(address)).toBe(is_allowed);
  });
});
