const IPV6_GROUPS = 8;
const GROUP_BITS = 16;
const SITE_GROUPS = 3; // a /48, up to 65,536 subscribers or one organization
const SUBSCRIBER_GROUPS = 4; // a /64 is what one subscriber has (RFC 6177)

/** What counts as one source: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  return address.includes(':') ? prefixOf(address, SUBSCRIBER_GROUPS) : address;
}

/** The /48 of an IPv6 address; undefined for IPv4. */
export function siteOf(address: string): string | undefined {
  return address.includes(':') ? prefixOf(address, SITE_GROUPS) : undefined;
}

function prefixOf(address: string, count: number): string {
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const zeros = tail === undefined ? 0 : Math.max(0, IPV6_GROUPS - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups.slice(0, count).join(':')}::/${count * GROUP_BITS}`;
}

/** Turns an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), in any notation, into the IPv4 address. */
export function plainAddress(address: string): string {
  const url = `http://[${address}]`;
  if (!address.includes(':') || !URL.canParse(url)) return address;
  const mapped = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(new URL(url).hostname); // WHATWG URL §3.5: canonical form
  if (!mapped) return address;
  const [high, low] = mapped.slice(1).map((group) => Number.parseInt(group, 16));
  return [high, low].flatMap((group = 0) => [group >> 8, group & 255]).join('.');
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
}
