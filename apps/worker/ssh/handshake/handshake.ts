import type { Duplex } from 'node:stream';
import { type AuthHandlerMiddleware, Client } from 'ssh2';
import { type Fault, toFault } from '#core/errors.ts';
import { abortable } from '#core/lib/time/deadline.ts';
import { stageNote } from '#core/model/hosts/connection-test.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Ask, HostKeys } from '#core/ports/ssh.ts';
import { algorithmsFor } from '../algorithms/proposal.ts';
import type { Attempt } from '../attempt.ts';
import { createAskPerson } from '../auth/ask-person.ts';
import { createAuth } from '../auth/auth.ts';
import { watchBanners } from '../auth/banners.ts';
import type { Login } from '../auth/login.ts';
import { yieldBetweenReads } from '../dial/tcp.ts';
import { authFault, clientFault, closedFault } from '../faults.ts';
import { watchSignatureAlgorithms } from '../internals/announced-algorithms.ts';
import { offerHybrid } from '../internals/hybrid-exchange.ts';
import type { PrivateKeyReader } from '../keys/private-keys.ts';
import { type GreetingWatch, NO_GREETING, watchGreeting } from './greeting.ts';
import { guardClient } from './guard.ts';
import { createHostKeyCheck, type HostKeyCheck, reportAnnouncedKeys } from './host-key.ts';
import { type Security, watchSecurity } from './security.ts';

const KEEPALIVE_MS = 15_000;
const KEEPALIVE_MISSES = 3;

const LOGGED_IN = 'The login is over'; // the default reason would keep a stack for as long as the connection

const ignore = () => {};

export interface HandshakeOptions {
  readonly host_keys: HostKeys;
  readonly keys: PrivateKeyReader;
  readonly clock: Clock;
  readonly ask: Ask | undefined;
  /** `host_key` stops once the host has proved its key, before anything about the user is sent. */
  readonly until: 'host_key' | 'auth';
  /** The number of bastions before this hop. */
  readonly depth: number;
}

/** Opens a client on a stream, through the stages `host_key` and `auth`. Takes ownership of the stream. */
export function openClient(stream: Duplex, attempt: Attempt, options: HandshakeOptions): Promise<Client> {
  return abortable(attempt.signal, (resolve, reject) => {
    const client = new Client();
    const over = new AbortController();
    const discard = (reason: unknown = attempt.signal.reason) => {
      over.abort(reason);
      client.removeAllListeners();
      client.on('error', ignore); // ssh2 may still report errors caused by our own close
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
      over.abort(LOGGED_IN); // later questions of the host are not part of this login
      client.removeAllListeners();
      client.on('error', ignore); // keeps Node from throwing; the connection's owner adds its own listener
      resolve(client);
    };
    const greeting = negotiate({ ...options, client, stream, attempt, over: over.signal, fail, succeed });
    return discard;
  });
}

/** Disconnects politely if still possible; ssh2 throws when a protocol error has already torn the client down. */
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
  let signatures: Announced['signatures'] = () => undefined;
  client.on('error', (error) => fail(clientFault(error, attempt, greeting)));
  client.on('end', () => fail(closedFault(attempt, greeting)));
  client.on('close', () => fail(closedFault(attempt, greeting)));
  const security = watchSecurity(client, () => greeting.ident());
  const host_check = createHostKeyCheck(host_keys, attempt, {
    presented() {
      attempt.pass(stageNote('identified', { software: greeting.ident() ?? 'SSH' }));
      attempt.enter('host_key');
    },
    isActive: () => !over.aborted,
    refused: fail,
  });
  client.connect({
    sock: stream,
    username: attempt.hop.username,
    authHandler: authenticate(negotiation, host_check, {
      security,
      offers: () => greeting.offers(),
      signatures: () => signatures(),
    }),
    hostVerifier: host_check.verifier,
    algorithms: algorithmsFor(attempt.hop),
    readyTimeout: 0, // the attempt's deadline is the only one
    keepaliveInterval: KEEPALIVE_MS,
    // When a bastion dies, every hop behind it falls silent as well; the nearest must time out first.
    keepaliveCountMax: KEEPALIVE_MISSES + negotiation.depth,
  });
  offerHybrid(client);
  guardClient(client, { stream, clock: negotiation.clock, rekey_timeout_ms: attempt.timeout_ms });
  greeting = watchGreeting(stream, attempt);
  signatures = watchSignatureAlgorithms(client);
  if (negotiation.depth === 0) yieldBetweenReads(stream); // behind a bastion, its socket yields
  return greeting;
}

interface Announced extends Pick<Login, 'offers' | 'signatures'> {
  readonly security: Security;
}

function authenticate(
  negotiation: Negotiation,
  host_check: HostKeyCheck,
  { security, ...announced }: Announced,
): AuthHandlerMiddleware {
  const { client, attempt, host_keys, over, until, fail, succeed } = negotiation;
  const prove = proving(negotiation, host_check, security);
  if (until === 'host_key') {
    return () => void prove().then(succeed, (error) => fail(toFault(error)));
  }
  const { keys, clock } = negotiation;
  const ask = negotiation.ask && createAskPerson(negotiation.ask, { attempt, clock, over });
  const auth = createAuth({ client, attempt, keys, ask, ...announced, over, fail }, async () => {
    await prove();
    if (attempt.stage() !== 'auth') attempt.enter('auth');
  });
  watchBanners(client, attempt);
  client.on('change password', () => {
    const { username } = attempt.hop;
    fail(authFault(attempt, `wants user ${username} to choose a new password first`));
  });
  client.once('ready', () => {
    if (!auth.offered()) {
      const what = 'accepted a login before any username was sent';
      return fail(attempt.fault('ssh_protocol', `${attempt.address} ${what}`));
    }
    attempt.pass(auth.accepted());
    succeed();
    reportAnnouncedKeys(client, attempt.hop, { host_keys, judged: host_check.judged() });
  });
  return auth.handler;
}

/** Completes the stage `host_key`, once. */
function proving(
  { attempt, host_keys }: Pick<Negotiation, 'attempt' | 'host_keys'>,
  host_check: HostKeyCheck,
  security: Security,
): () => Promise<void> {
  let proved: Promise<void> | undefined;
  const prove = async () => {
    await host_check.proved();
    const judged = host_check.judged();
    if (!judged) return;
    attempt.judge(judged.verdict);
    const connection = security.of(judged.key);
    if (connection) {
      attempt.secured(connection);
      host_keys.secured(attempt.hop, { hop: attempt.hop.name, ...connection });
    }
    const code = judged.verdict === 'unverified' ? 'key_not_verified' : 'key_verified';
    attempt.pass(stageNote(code, { fingerprint: judged.key.fingerprint }));
  };
  return () => {
    proved ??= prove();
    return proved;
  };
}
