import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const NAT64 = ipaddr.IPv6.parse('64:ff9b::'); // RFC 6052 §2.1
const GLOBAL = ipaddr.IPv6.parse('2000::'); // RFC 4291 §2.4; everything else is special or unassigned

const CLOUD = new Set(['168.63.129.16']); // Azure's host agent, which only machines in Azure reach

/** False for loopback, private and reserved addresses. */
export function isPublicAddress(text: string): boolean {
  const address = ipaddr.process(text.replace(/%.*$/, '')); // unwraps IPv4-mapped IPv6
  if (!(address instanceof ipaddr.IPv6))
    return address.range() === 'unicast' && !CLOUD.has(address.toString());
  const bytes = address.toByteArray();
  if (address.match(NAT64, 96)) return isPublicAddress(dotted(bytes.slice(12)));
  if (address.range() === '6to4') return isPublicAddress(dotted(bytes.slice(2, 6)));
  return address.match(GLOBAL, 3) && address.range() === 'unicast';
}

/** How a refusal names what asks, and the switch that would allow more. */
export interface Wording {
  readonly https: string;
  readonly https_only: string;
  readonly not_public: string;
}

/** Why this URL may not be used, judged by its text alone. */
export function objectionTo(
  url: string,
  allow_private: boolean,
  { https, https_only, not_public }: Wording,
): string | undefined {
  if (/[\s\p{Cc}]/u.test(url) || !URL.canParse(url)) return 'The address is not a URL';
  const target = new URL(url);
  const { protocol, username, password } = target;
  if (protocol !== 'https:' && protocol !== 'http:') return https;
  if (`${username}${password}` !== '') return 'The URL must not contain a username or a password';
  if (!/[^.]/.test(hostOf(target)) || hostOf(target).endsWith('.')) return 'The URL has no valid host';
  if (url.includes('#')) return 'The URL must not contain a fragment (#…)';
  if (allow_private) return undefined;
  if (protocol !== 'https:') return https_only;
  return isPrivateHost(hostOf(target)) ? not_public : undefined;
}

/** The host to connect to: without IPv6 brackets and a final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function isPrivateHost(host: string): boolean {
  if (isIP(host)) return !isPublicAddress(host);
  return /(^|\.)localhost$/.test(host); // RFC 6761 §6.3
}

function dotted(bytes: readonly number[]): string {
  return bytes.join('.');
}
