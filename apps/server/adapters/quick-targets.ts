import ipaddr from 'ipaddr.js';
import { createAddressMatcher } from '../lib/address-ranges.ts';

// Addresses that mean this machine, its link, or the cloud it runs in: services there trust every client that can reach them.
const REFUSED = [
  '0.0.0.0/8', // Linux connects 0.0.0.0 to loopback
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local; metadata is at 169.254.169.254 in most clouds
  '224.0.0.0/4',
  '255.255.255.255',
  '100.100.100.200', // metadata of Alibaba Cloud
  '192.0.0.192', // metadata of Oracle Cloud
  '168.63.129.16', // Azure's host agent
  '::/96', // unspecified, loopback, and the deprecated IPv4-compatible addresses
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254', // metadata of AWS
  'fd20:ce::254', // metadata of Google Cloud
  'fd00:c1::a9fe:a9fe', // metadata of Oracle Cloud
  'fd00:42::42', // metadata of Scaleway
];

const EMBEDDING = [
  { prefix: ipaddr.IPv6.parse('64:ff9b::'), bits: 96, offset: 12 }, // NAT64, RFC 6052 §2.1
  { prefix: ipaddr.IPv6.parse('64:ff9b:1::'), bits: 48, offset: 12 }, // NAT64 of the local network, RFC 8215
  { prefix: ipaddr.IPv6.parse('::ffff:0:0:0'), bits: 96, offset: 12 }, // IPv4-translated, RFC 2765 §2.1
  { prefix: ipaddr.IPv6.parse('2002::'), bits: 16, offset: 2 }, // 6to4, RFC 3056 §2
];

/**
 * Whether quick connect may dial an address. Without a list, all but the refused ones; with a list, only what it
 * contains. An IPv6 address that leads to a refused IPv4 address needs both in the list.
 */
export function createTargetRule(allowed: readonly string[]): (address: string) => boolean {
  const isListed = createAddressMatcher(allowed);
  const isRefused = createAddressMatcher(REFUSED);
  return (address) => {
    if (allowed.length > 0 && !isListed(address)) return false;
    return formsOf(address).every((form) => !isRefused(form) || isListed(form));
  };
}

/** The address and the IPv4 address inside it. */
function formsOf(text: string): string[] {
  const address = ipaddr.parse(text.replace(/%.*$/, '')); // without the zone (RFC 4007 §11)
  if (!(address instanceof ipaddr.IPv6)) return [text];
  const embedding = EMBEDDING.find(({ prefix, bits }) => address.match(prefix, bits));
  if (!embedding) return [text];
  const { offset } = embedding;
  return [
    text,
    address
      .toByteArray()
      .slice(offset, offset + 4)
      .join('.'),
  ];
}
