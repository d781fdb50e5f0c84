import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Log } from '#core/ports/runtime.ts';
import { hostOf, isPublicAddress } from '../lib/addresses.ts';

const PLAIN =
  'SERVICE_INSTANCE_URL is plain http to an address that is not known to be private: other instances send the sign-ins of relayed callers there, readable for everyone on the way. Use https, or a private network';

/** Loopback and private networks need no TLS. A name counts by what it resolves to here. */
export async function warnOfPlainUrl(
  instance_url: string | undefined,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  if (instance_url === undefined) return;
  const url = new URL(instance_url);
  if (url.protocol === 'https:') return;
  const addresses = await addressesOf(hostOf(url));
  if (addresses.length === 0 || addresses.some(isPublicAddress)) log.warn({ url: url.origin }, PLAIN);
}

/** Empty when the name does not resolve. */
async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) > 0) return [host];
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
