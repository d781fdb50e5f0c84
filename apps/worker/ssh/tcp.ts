import { type LookupAddress, lookup } from 'node:dns';
import { connect, type Socket } from 'node:net';
import { type Attempt, untilAborted } from './attempt.ts';
import { resolveFault, tcpFault } from './faults.ts';

// An address that has not answered by then is left for the next one; the last may use all the time there is.
const NEXT_ADDRESS_MS = 1000;

/** The TCP connection to the first hop; the stages `resolve` and `tcp`. */
export async function openTcp(attempt: Attempt): Promise<Socket> {
  attempt.enter('resolve');
  const addresses = await resolve(attempt);
  attempt.pass(addresses.map(({ address }) => address).join(', '));
  attempt.enter('tcp');
  const socket = await dial(attempt, addresses);
  attempt.pass(`Connected to ${socket.remoteAddress ?? attempt.address}`);
  return socket;
}

function resolve(attempt: Attempt): Promise<LookupAddress[]> {
  return untilAborted(attempt.signal, (resolved, reject) => {
    lookup(attempt.hop.hostname, { all: true }, (error, addresses) => {
      if (error) reject(resolveFault(error, attempt));
      else resolved(addresses);
    });
    return () => {};
  });
}

function dial(attempt: Attempt, addresses: LookupAddress[]): Promise<Socket> {
  return untilAborted(attempt.signal, (resolved, reject) => {
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
