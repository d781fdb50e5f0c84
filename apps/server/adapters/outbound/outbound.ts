import type { LookupAddress } from 'node:dns';
import { type ClientRequest, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { abortable, startDeadline } from '#core/lib/deadline.ts';
import { joinSignals } from '#core/lib/joined-signal.ts';
import { systemAfter } from '#core/lib/timers.ts';
import { type Outbound, type Posted, PostFailed } from '#core/ports/outside.ts';
import type { HostLookup } from '#worker/ssh/dial/host-lookup.ts';
import { hostOf, isPublicAddress, objectionTo, PRIVATE } from './addresses.ts';
import { toPostFailed } from './failures.ts';

const NEXT_ADDRESS_MS = 1000; // without a connection by then, the next address is tried

const MAX_EARLY = 10; // informational responses

interface Options {
  /** `SERVICE_WEBHOOK_ALLOW_PRIVATE`. */
  readonly allow_private: boolean;
  readonly names: HostLookup;
  /** Replaces the certificate authorities that Node.js trusts. */
  readonly ca?: string;
}

type PostInput = Parameters<Outbound['post']>[0];

export function createOutbound({ allow_private, names, ca }: Options): Outbound {
  const objection = (url: string) => objectionTo(url, allow_private);

  async function allowedAddresses(url: URL, signal: AbortSignal): Promise<LookupAddress[]> {
    const addresses = await addressesOf(hostOf(url), names, signal);
    if (addresses.length === 0) throw new PostFailed('The host was not found');
    if (allow_private || addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new PostFailed(PRIVATE, { is_final: true });
  }

  return {
    objection,

    async post(input) {
      const refusal = objection(input.url);
      if (refusal !== undefined) throw new PostFailed(refusal, { is_final: true });
      const url = new URL(input.url);
      return inTime(input, async (signal) => {
        const addresses = await allowedAddresses(url, signal);
        return send(url, { ...input, signal, addresses, ca });
      });
    },
  };
}

/** The timeout covers DNS, connection, TLS and the response header. */
async function inTime<Result>(
  { timeout_ms, signal }: PostInput,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const error = () => new PostFailed(`No response within ${timeout_ms / 1000} s`);
  const deadline = startDeadline({ after: systemAfter, ms: timeout_ms, error });
  const joined = joinSignals(signal, deadline.signal);
  try {
    return await work(joined.signal);
  } finally {
    deadline.cancel();
    joined.leave();
  }
}

function addressesOf(host: string, names: HostLookup, signal: AbortSignal): Promise<LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return Promise.resolve([{ address: host, family }]);
  return abortable<LookupAddress[]>(signal, (resolve, reject) => {
    const finding = names.find(host);
    finding.addresses.then(resolve, (error: unknown) => reject(toPostFailed(error)));
    return finding.leave;
  });
}

interface Sending extends PostInput {
  readonly addresses: LookupAddress[];
  readonly ca: string | undefined;
}

function send(url: URL, { headers, body, signal, addresses, ca }: Sending): Promise<Posted> {
  const host = hostOf(url);
  const options = {
    method: 'POST',
    headers: { ...headers, 'Content-Length': body.byteLength },
    agent: false, // one connection per request
    // Connects to the addresses that were checked, without resolving the name again.
    lookup: lookupOf(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  };
  const trust = { servername: isIP(host) === 0 ? host : '', ...(ca === undefined ? {} : { ca }) };
  return abortable<Posted>(signal, (resolve, reject) => {
    const outgoing =
      url.protocol === 'https:' ? tlsRequest(url, { ...options, ...trust }) : plainRequest(url, options);
    listen(outgoing, resolve, reject);
    outgoing.end(body);
    return () => outgoing.destroy();
  });
}

/** Reads the status line and the header, then closes the connection without reading the body. */
function listen(
  outgoing: ClientRequest,
  resolve: (posted: Posted) => void,
  reject: (error: PostFailed) => void,
): void {
  const answered = (status = 0) => {
    resolve({ status });
    outgoing.destroy();
  };
  outgoing.on('response', (response) => {
    response.on('error', () => undefined); // we closed the connection
    answered(response.statusCode);
  });
  let early = 0; // 1xx responses (RFC 9110 §15.2), which could arrive without end
  outgoing.on('information', () => {
    early += 1;
    if (early > MAX_EARLY) outgoing.destroy(new PostFailed('The response is not HTTP'));
  });
  outgoing.on('upgrade', ({ statusCode }, socket) => {
    socket.destroy();
    answered(statusCode);
  });
  outgoing.on('error', (error) => reject(error instanceof PostFailed ? error : toPostFailed(error)));
  outgoing.on('close', () => reject(new PostFailed('The connection was closed without a response')));
}

function lookupOf(addresses: LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, addresses);
    else if (first) done(null, first.address, first.family);
  };
}
