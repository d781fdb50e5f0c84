import { BlockList, isIP } from 'node:net';
import { plainAddress } from '#core/lib/network/network.ts';

/** Whether this is an IP address or a CIDR range. */
export function isAddressRange(range: string): boolean {
  try {
    createAddressMatcher([range]);
    return true;
  } catch {
    return false;
  }
}

/** Whether an address lies in one of the ranges. */
export function createAddressMatcher(ranges: readonly string[]): (address: string) => boolean {
  // In one list, ::/0 would also match every IPv4 address, as a mapped one.
  const blocks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) addRange(blocks, range);
  return (address) => {
    const plain = plainAddress(address.replace(/%.*$/, '')); // without the zone (RFC 4007 §11)
    return isIP(plain) !== 0 && blocks[familyOf(plain)].check(plain, familyOf(plain));
  };
}

type Family = 'ipv4' | 'ipv6';

const familyOf = (address: string): Family => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function addRange(blocks: Readonly<Record<Family, BlockList>>, range: string): void {
  const [address = '', prefix, ...rest] = range.split('/');
  const plain = plainAddress(address);
  const family = familyOf(plain);
  const mapped_bits = plain === address ? 0 : 96;
  if (rest.length > 0) throw new Error(`Not an address range: ${range}`);
  if (prefix === undefined) blocks[family].addAddress(plain, family);
  else if (/^\d{1,3}$/.test(prefix)) blocks[family].addSubnet(plain, Number(prefix) - mapped_bits, family);
  else throw new Error(`Not an address range: ${range}`);
}
