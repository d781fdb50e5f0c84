import type { Duplex } from 'node:stream';
import { type AuthHandlerMiddleware, Client } from 'ssh2';
import { type Fault, toFault } from '#core/errors.ts';
import { abortable } from '#core/lib/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Ask, HostKeys } from '#core/ports/ssh.ts';
import { algorithmsFor } from '../algorithms/proposal.ts';
import type { Attempt } from '../attempt.ts';
import { createAskPerson } from '../auth/ask-person.ts';
import { createAuth } from '../auth/auth.ts';
import { authFault, clientFault, closedFault } from '../faults.ts';
import type { PrivateKeyReader } from '../keys/private-keys.ts';
import { type GreetingWatch, NO_GREETING, watchGreeting } from './greeting.ts';
import { createHostKeyCheck, type HostKeyCheck, reportAnnouncedKeys } from './host-key.ts';

const KEEPALIVE_MS = 15_000;
const KEEPALIVE_MISSES = 3;

const ignore = () => {};

export interface HandshakeOptions {
  readonly host_keys: HostKeys;
  readonly keys: PrivateKeyReader;
  readonly clock: Clock;
  readonly ask: Ask | undefined;
  /** `host_key` is left as soon as the host has proved its key: nothing is said of the user. */
  readonly until: 'host_key' | 'auth';
  /** Bastions before this hop. */
  readonly depth: number;
}

/** A client on a stream: the stages `host_key` and `auth`. Owns the stream from here on. */
export function openClient(stream: Duplex, attempt: Attempt, options: HandshakeOptions): Promise<Client> {
  return abortable(attempt.signal, (resolve, reject) => {
    const client = new Client();
    const over = new AbortController();
    const discard = (reason: unknown = attempt.signal.reason) => {
      over.abort(reason);
      client.removeAllListeners();
      client.on('error', ignore); // ssh2 may still report what our own closing brings about
      endClient(client, stream);
      stream.destroy();
    };
    const fail = (fault: Fault) => {
      if (over.signal.aborted) return;
      discard(fault);
      reject(fault);
    };
    const succeed = () => {
      greeting.stop();
      over.abort(); // what a host asks from here on is not for this login to answer
      client.removeAllListeners();
      client.on('error', ignore); // whoever holds the connection listens beside this one
      resolve(client);
    };
    const greeting = negotiate({ ...options, client, stream, attempt, over: over.signal, fail, succeed });
    return discard;
  });
}

/** Ends a client politely where it still can; ssh2 throws when a protocol error has already torn it down. */
export function endClient(client: Client, stream: Duplex): void {
  try {
    client.end();
  } catch {
    stream.destroy();
  }
}

interface Negotiation extends HandshakeOptions {
  readonly client: Client;
  readonly stream: Duplex;
  readonly attempt: Attempt;
  readonly over: AbortSignal;
  readonly fail: (fault: Fault) => void;
  readonly succeed: () => void;
}

function negotiate(negotiation: Negotiation): GreetingWatch {
  const { client, stream, attempt, host_keys, over, fail } = negotiation;
  let greeting: GreetingWatch = NO_GREETING;
  client.on('error', (error) => fail(clientFault(error, attempt, greeting)));
  client.on('end', () => fail(closedFault(attempt, greeting)));
  client.on('close', () => fail(closedFault(attempt, greeting)));
  const host_check = createHostKeyCheck(host_keys, attempt, {
    presented() {
      attempt.pass(greeting.ident() ?? 'SSH');
      attempt.enter('host_key');
    },
    isActive: () => !over.aborted,
    refused: fail,
  });
  client.connect({
    sock: stream,
    username: attempt.hop.username,
    authHandler: authenticate(negotiation, host_check, () => greeting.offers()),
    hostVerifier: host_check.verifier,
    algorithms: algorithmsFor(attempt.hop),
    readyTimeout: 0, // the attempt's deadline is the only one
    keepaliveInterval: KEEPALIVE_MS,
    // Behind a bastion that is gone every hop falls silent: the nearer one is to be noticed first.
    keepaliveCountMax: KEEPALIVE_MISSES + negotiation.depth,
  });
  greeting = watchGreeting(stream, attempt);
  return greeting;
}

function authenticate(
  negotiation: Negotiation,
  host_check: HostKeyCheck,
  offers: GreetingWatch['offers'],
): AuthHandlerMiddleware {
  const { client, attempt, host_keys, over, until, fail, succeed } = negotiation;
  const prove = proving(attempt, host_check);
  if (until === 'host_key') {
    return () => void prove().then(succeed, (error) => fail(toFault(error)));
  }
  const { keys, clock } = negotiation;
  const ask = negotiation.ask && createAskPerson(negotiation.ask, { attempt, clock, over });
  const auth = createAuth({ attempt, keys, ask, offers, over, fail: fail }, async () => {
    await prove();
    if (attempt.stage() !== 'auth') attempt.enter('auth');
  });
  client.on('change password', () => {
    const { username } = attempt.hop;
    fail(authFault(attempt, `wants user ${username} to choose a new password first`));
  });
  client.once('ready', () => {
    if (!auth.offered()) {
      const what = 'let a user in whom it had not been told of';
      return fail(attempt.fault('ssh_protocol', `${attempt.address} ${what}`));
    }
    attempt.pass(auth.accepted());
    succeed();
    reportAnnouncedKeys(client, attempt.hop, { host_keys, judged: host_check.judged() });
  });
  return auth.handler;
}

/** Ends the stage `host_key`, once. */
function proving(attempt: Attempt, host_check: HostKeyCheck): () => Promise<void> {
  let proved: Promise<void> | undefined;
  const prove = async () => {
    await host_check.proved();
    const judged = host_check.judged();
    if (!judged) return;
    attempt.judge(judged.verdict);
    attempt.pass(judged.key.fingerprint + (judged.verdict === 'unverified' ? ' (not verified)' : ''));
  };
  return () => {
    proved ??= prove();
    return proved;
  };
}
