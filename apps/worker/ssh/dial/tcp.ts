import type { LookupAddress } from 'node:dns';
import { connect, isIPv6, type Socket, SocketAddress } from 'node:net';
import type { Readable } from 'node:stream';
import { abortable } from '#core/lib/time/deadline.ts';
import { stageNote } from '#core/model/hosts/connection-test.ts';
import type { HostLookup } from '../../names/host-lookup.ts';
import type { Attempt } from '../attempt.ts';
import { resolveFault, tcpFault, unreachableFault } from '../faults.ts';

// How long to wait before the next address is tried; the last one may use the remaining time.
const NEXT_ADDRESS_MS = 1000;
// A dial holds a turn at each address of its name, and the user who types a name may control its addresses.
const MAX_QUICK_ADDRESSES = 4;

/** The addresses of the first hop that may be dialled; the stage `resolve`. */
export async function resolveHop(attempt: Attempt, names: HostLookup): Promise<LookupAddress[]> {
  attempt.enter('resolve');
  const addresses = await resolve(attempt, names);
  attempt.pass(stageNote('resolved', { addresses: addresses.map(({ address }) => address).join(', ') }));
  const dialled = await allowed(attempt, addresses);
  return attempt.is_quick ? dialled.slice(0, MAX_QUICK_ADDRESSES) : dialled;
}

/** The checked addresses are the ones dialled, so a name that resolves differently later changes nothing. */
async function allowed(attempt: Attempt, addresses: LookupAddress[]): Promise<LookupAddress[]> {
  const { isAllowedAddress = () => true } = attempt.hop;
  const verdicts = await Promise.all(addresses.map(({ address }) => isAllowedAddress(address)));
  const rest = addresses.filter((_, index) => verdicts[index]);
  if (rest.length > 0) return rest;
  attempt.enter('tcp'); // the name was resolved
  // Without the addresses: a name may resolve only inside the gateway's network.
  throw attempt.fault(
    'target_not_allowed',
    `Quick connect is not allowed to reach ${attempt.address} (SERVICE_ALLOWED_TARGETS)`,
  );
}

/** The same for every spelling of an address. */
export function addressKey(address: string, port: number): string {
  const is_ipv6 = isIPv6(address) && !address.includes('%');
  const { address: canonical } = is_ipv6 ? new SocketAddress({ address, family: 'ipv6' }) : { address };
  return `${canonical.replace(/^::ffff:(?=[\d.]+$)/, '')} ${port}`;
}

async function resolve(attempt: Attempt, names: HostLookup): Promise<LookupAddress[]> {
  attempt.setTimeoutFault(() =>
    attempt.fault('connect_timeout', `The host name of ${attempt.address} was not resolved in time`),
  );
  const addresses = await abortable<LookupAddress[]>(attempt.signal, (resolved, reject) => {
    const finding = names.find(attempt.hop.hostname);
    finding.addresses.then(resolved, (error) => reject(resolveFault(error, attempt)));
    return finding.leave;
  });
  attempt.setTimeoutFault(undefined);
  return addresses;
}

/** The TCP connection to the first hop. */
export async function openTcp(attempt: Attempt, addresses: LookupAddress[]): Promise<Socket> {
  if (attempt.is_quick) attempt.setTimeoutFault(() => unreachableFault(attempt));
  const socket = await connectTo(attempt, addresses);
  attempt.setTimeoutFault(undefined);
  return socket;
}

function connectTo(attempt: Attempt, addresses: LookupAddress[]): Promise<Socket> {
  return abortable(attempt.signal, (resolved, reject) => {
    const socket = connect({
      host: attempt.hop.hostname,
      port: attempt.hop.port,
      // Nagle's algorithm and delayed acknowledgements together stall pipelined READ requests by 40 ms each.
      noDelay: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      lookup: (_hostname, _options, done) => done(null, addresses),
    });
    const onError = (error: unknown) => {
      socket.destroy();
      reject(tcpFault(error, attempt));
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      resolved(socket);
    });
    return () => socket.destroy();
  });
}

// libuv reads one socket up to 32 times in a row, 64 KiB each; during a flood, that blocks other sockets for 20 ms.
const BURST_BYTES = 64 * 1024; // key echo beside a flood at p99: 24 ms with 256 KiB, 6 ms with this

/** Yields to other sockets after this many bytes. */
export function yieldBetweenReads(socket: Readable): void {
  let taken = 0;
  let is_waiting = false;
  const resume = () => {
    is_waiting = false;
    taken = 0;
    socket.resume();
  };
  socket.on('data', (bytes: Buffer) => {
    taken += bytes.length;
    if (taken < BURST_BYTES || is_waiting) return;
    is_waiting = true;
    socket.pause();
    setImmediate(resume);
  });
}
