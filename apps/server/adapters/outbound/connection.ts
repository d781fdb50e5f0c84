import type { LookupAddress } from 'node:dns';
import { type ClientRequest, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { joinSignals } from '#core/lib/concurrency/joined-signal.ts';
import { abortable, startDeadline } from '#core/lib/time/deadline.ts';
import { systemAfter } from '#core/lib/time/timers.ts';
import { ExchangeFailed } from '#core/ports/outside.ts';
import type { HostLookup } from '#worker/names/host-lookup.ts';
import { hostOf } from '../../lib/addresses.ts';
import { toExchangeFailed } from './failures.ts';

const NEXT_ADDRESS_MS = 1000; // without a connection by then, the next address is tried

const MAX_EARLY = 10; // informational responses

export interface AddressRule {
  readonly names: HostLookup;
  isAllowed(address: string): boolean;
  /** Why an address is refused. */
  readonly refusal: string;
}

/** The timeout covers DNS, connection, TLS and the response header. */
export async function inTime<Result>(
  { timeout_ms, signal }: { readonly timeout_ms: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const error = () => new ExchangeFailed(`No response within ${timeout_ms / 1000} s`);
  const deadline = startDeadline({ after: systemAfter, ms: timeout_ms, error });
  const joined = joinSignals(signal, deadline.signal);
  try {
    return await work(joined.signal);
  } finally {
    deadline.cancel();
    joined.leave();
  }
}

/** Every address of the host, if all of them are allowed. */
export async function allowedAddresses(
  url: URL,
  { names, isAllowed, refusal }: AddressRule,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const addresses = await addressesOf(hostOf(url), names, signal);
  if (addresses.length === 0) throw new ExchangeFailed('The host was not found');
  if (addresses.every(({ address }) => isAllowed(address))) return addresses;
  throw new ExchangeFailed(refusal, { is_final: true });
}

function addressesOf(host: string, names: HostLookup, signal: AbortSignal): Promise<LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return Promise.resolve([{ address: host, family }]);
  return abortable<LookupAddress[]>(signal, (resolve, reject) => {
    const finding = names.find(host);
    finding.addresses.then(resolve, (error: unknown) => reject(toExchangeFailed(error)));
    return finding.leave;
  });
}

export interface Dialling {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly addresses: LookupAddress[];
  /** Replaces the certificate authorities that Node.js trusts. */
  readonly ca: string | undefined;
}

/** A request on a connection of its own. */
export function openRequest(url: URL, { method, headers, addresses, ca }: Dialling): ClientRequest {
  const host = hostOf(url);
  const options = {
    method,
    headers,
    agent: false, // one connection per request
    // Connects to the addresses that were checked, without resolving the name again.
    lookup: lookupOf(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  };
  const trust = { servername: isIP(host) === 0 ? host : '', ...(ca === undefined ? {} : { ca }) };
  const outgoing =
    url.protocol === 'https:' ? tlsRequest(url, { ...options, ...trust }) : plainRequest(url, options);
  limitEarly(outgoing);
  return outgoing;
}

/** 1xx responses (RFC 9110 §15.2) could arrive without end. */
function limitEarly(outgoing: ClientRequest): void {
  let early = 0;
  outgoing.on('information', () => {
    early += 1;
    if (early > MAX_EARLY) outgoing.destroy(new ExchangeFailed('The response is not HTTP'));
  });
}

function lookupOf(addresses: LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, addresses);
    else if (first) done(null, first.address, first.family);
  };
}
