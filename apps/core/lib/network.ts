const IPV6_GROUPS = 8;
const SUBSCRIBER_GROUPS = 4; // a /64 is what one subscriber has (RFC 6177)

/** What counts as one source: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const zeros = tail === undefined ? 0 : Math.max(0, IPV6_GROUPS - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups.slice(0, SUBSCRIBER_GROUPS).join(':')}::/64`;
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
