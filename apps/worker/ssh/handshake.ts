import type { Duplex } from 'node:stream';
import { Client } from 'ssh2';
import type { Fault } from '#core/errors.ts';
import type { HostKeys } from '#core/ports/ssh.ts';
import { algorithmsFor } from './algorithms.ts';
import { type Attempt, untilAborted } from './attempt.ts';
import { acceptedBy, createAuthHandler, expiredPassword } from './auth.ts';
import { clientFault, closedFault, type Greeting, notSshFault } from './faults.ts';
import { createHostCheck } from './host-verifier.ts';
import type { PrivateKeyReader } from './private-keys.ts';

const KEEPALIVE_MS = 15_000;
const KEEPALIVE_MISSES = 3;

const ignore = () => {};

export interface Trust {
  readonly host_keys: HostKeys;
  readonly keys: PrivateKeyReader;
}

/** An authenticated client on a stream: the stages `handshake`, `host_key` and `auth`. Owns the stream from here on. */
export function openClient(stream: Duplex, attempt: Attempt, { host_keys, keys }: Trust): Promise<Client> {
  attempt.enter('handshake');
  return untilAborted(attempt.signal, (resolve, reject) => {
    const client = new Client();
    let wanted = true;
    const discard = () => {
      wanted = false;
      client.removeAllListeners();
      client.on('error', ignore); // ssh2 may still report what our own closing brings about
      sayGoodbye(client, stream);
      stream.destroy();
    };
    const fail = (fault: Fault) => {
      discard();
      reject(fault);
    };
    const greeting = negotiate({ client, stream, attempt, host_keys, keys, fail, isWanted: () => wanted });
    client.once('ready', () => {
      greeting.stop();
      client.removeAllListeners();
      client.on('error', ignore); // whoever holds the connection listens beside this one
      attempt.pass(acceptedBy(attempt.hop));
      resolve(client);
    });
    return discard;
  });
}

/** Ends a client politely where it still can; ssh2 throws when a protocol error has already torn it down. */
export function sayGoodbye(client: Client, stream: Duplex): void {
  try {
    client.end();
  } catch {
    stream.destroy();
  }
}

interface Negotiation extends Trust {
  readonly client: Client;
  readonly stream: Duplex;
  readonly attempt: Attempt;
  readonly fail: (fault: Fault) => void;
  readonly isWanted: () => boolean;
}

function negotiate({ client, stream, attempt, host_keys, keys, fail, isWanted }: Negotiation): Overheard {
  let greeting: Overheard = NOTHING_HEARD;
  let fingerprint = '';
  client.on('error', (error) => fail(clientFault(error, attempt, greeting)));
  client.on('close', () => fail(closedFault(attempt, greeting)));
  client.on('change password', () => fail(expiredPassword(attempt)));
  client.once('handshake', () => {
    attempt.pass(fingerprint);
    attempt.enter('auth');
  });
  const host_check = createHostCheck(host_keys, attempt, {
    presented(key) {
      fingerprint = key.fingerprint;
      attempt.pass(greeting.ident() ?? 'SSH');
      attempt.enter('host_key');
    },
    isWanted,
    refused: fail,
  });
  client.connect({
    sock: stream,
    username: attempt.hop.username,
    authHandler: createAuthHandler({ attempt, keys, proved: host_check.proved, refuse: fail }),
    hostVerifier: host_check.verifier,
    algorithms: algorithmsFor(attempt.hop.host_key),
    readyTimeout: 0, // the attempt's deadline is the only one
    keepaliveInterval: KEEPALIVE_MS,
    keepaliveCountMax: KEEPALIVE_MISSES,
  });
  greeting = overhear(stream, attempt);
  return greeting;
}

interface Overheard extends Greeting {
  stop(): void;
}

const NOTHING_HEARD: Overheard = { spoke: () => false, ident: () => undefined, stop: ignore };
const GREETING_BYTES = 1024;

/** The first bytes of the peer, read beside ssh2, which tells nobody of them; must start after ssh2 paused the stream. */
function overhear(stream: Duplex, attempt: Attempt): Overheard {
  let heard = '';
  const stop = () => stream.off('data', listen);
  const ident = () => /^SSH-[^\r\n]*/m.exec(heard)?.[0];
  const greeting = { spoke: () => heard !== '', ident, stop };
  function listen(chunk: Buffer): void {
    heard += chunk.toString('latin1', 0, GREETING_BYTES);
    const known = ident() !== undefined;
    if (known || heard.length >= GREETING_BYTES) stop();
    attempt.blame(known ? undefined : () => notSshFault(attempt, greeting));
  }
  stream.on('data', listen);
  return greeting;
}
