import { Fault, type FaultCode } from '#core/errors.ts';
import { codeOf } from '#core/lib/errors/error-code.ts';
import type { KexInit } from './algorithms/kexinit.ts';
import { describeMismatch, nameMismatch } from './algorithms/mismatch.ts';
import type { Attempt } from './attempt.ts';
import { forwardRefusal } from './channels/forward.ts';

/** What the peer has sent before the key exchange. */
export interface Greeting {
  /** The first line, for messages; empty when there was none. */
  said(): string;
  /** The SSH identification line without its line end. */
  ident(): string | undefined;
  /** The algorithms it offered. */
  offers(): KexInit | undefined;
}

/** What a host did that this gateway does not allow; its address comes in front. */
export class HostViolation extends Error {}

function levelOf(error: unknown): string | undefined {
  const level = error instanceof Error && 'level' in error ? error.level : undefined;
  return typeof level === 'string' ? level : undefined;
}

export function resolveFault(error: unknown, attempt: Attempt): Fault {
  const detail = `The host name of ${attempt.address} cannot be resolved`;
  return attempt.fault('host_unreachable', detail, error);
}

const TCP_FAULTS: Readonly<Record<string, [FaultCode, string]>> = {
  ECONNREFUSED: ['host_unreachable', 'refused the connection'],
  EHOSTUNREACH: ['host_unreachable', 'cannot be reached: no route to the host'],
  ENETUNREACH: ['host_unreachable', 'cannot be reached: no route to its network'],
  ECONNRESET: ['host_unreachable', 'closed the connection at once'],
  ETIMEDOUT: ['connect_timeout', 'did not answer in time'],
};

export function tcpFault(error: unknown, attempt: Attempt): Fault {
  if (attempt.is_quick) return unreachableFault(attempt, error);
  const [code, what] = TCP_FAULTS[String(codeOf(error))] ?? ['host_unreachable', 'cannot be reached'];
  return attempt.fault(code, `${attempt.address} ${what}`, error);
}

/** One text for refused, closed, unreachable and filtered ports. */
export function unreachableFault(attempt: Attempt, cause?: unknown): Fault {
  return attempt.fault('host_unreachable', `${attempt.address} cannot be reached`, cause);
}

/** The next hop cannot be reached, whatever the reason. */
export function tunnelFault(error: unknown, attempt: Attempt, bastion: string): Fault {
  const { code, detail } = forwardRefusal(error, bastion, attempt.address);
  const is_lost = code === 'host_disconnected';
  return attempt.fault(is_lost ? 'host_disconnected' : 'host_unreachable', detail, error);
}

/** An `error` of the ssh2 client before it was ready. */
export function clientFault(error: unknown, attempt: Attempt, greeting: Greeting): Fault {
  const { address } = attempt;
  if (error instanceof HostViolation)
    return attempt.fault('ssh_protocol', `${address} ${error.message}`, error);
  const level = levelOf(error);
  if (level === 'client-socket' || greeting.ident() === undefined) {
    return closedFault(attempt, greeting, error);
  }
  if (attempt.stage() === 'auth') return authErrorFault(error, attempt);
  const what = mismatch(error, attempt, greeting);
  const protocol = 'broke off the SSH handshake or violated the protocol';
  return attempt.fault('ssh_protocol', `${address} ${what ?? protocol}`, error);
}

/** The host accepted the stored credential but wants more, and nobody is there to answer. */
export function interactionFault(attempt: Attempt, what: string): Fault {
  return attempt.fault(
    'interaction_required',
    `${attempt.address} ${what}, which only a person at a terminal can answer`,
  );
}

export function authFault(attempt: Attempt, what: string): Fault {
  return attempt.fault('host_auth_failed', `${attempt.address} ${what}`);
}

// OpenSSH disconnects with 2 after too many attempts; the others are the authentication codes of RFC 4253 §11.1.
const REFUSALS = new Set([2, 13, 14, 15]);

function authErrorFault(error: unknown, attempt: Attempt): Fault {
  const code = codeOf(error);
  if (typeof code === 'number' && REFUSALS.has(code)) {
    return attempt.fault(
      'host_auth_failed',
      `${attempt.address} refused further authentication attempts`,
      error,
    );
  }
  return attempt.fault(
    'ssh_protocol',
    `${attempt.address} broke the SSH protocol during authentication`,
    error,
  );
}

function mismatch(error: unknown, { hop, is_quick }: Attempt, greeting: Greeting): string | undefined {
  const offers = levelOf(error) === 'handshake' ? greeting.offers() : undefined;
  if (!offers) return undefined;
  return is_quick ? nameMismatch(offers, hop.algorithms) : describeMismatch(offers, hop.algorithms);
}

/** The stream to the host closed before it was ready. */
export function closedFault(attempt: Attempt, greeting: Greeting, cause?: unknown): Fault {
  const { address } = attempt;
  if (greeting.ident() !== undefined) {
    const when = attempt.stage() === 'auth' ? 'authentication' : 'the SSH handshake';
    return attempt.fault('host_disconnected', `${address} closed the connection during ${when}`, cause);
  }
  return notSshFault(attempt, greeting, cause);
}

// What sshd sends when it limits connections: MaxStartups, PerSourcePenalties.
const THROTTLED = /^(Exceeded MaxStartups|Not allowed at this time)/;

/** Marks a connection that was closed before the host identified itself, as sshd does beyond MaxStartups. */
class Dropped extends Error {}

export function isDropped(error: unknown): boolean {
  return error instanceof Fault && error.cause instanceof Dropped;
}

export function notSshFault(attempt: Attempt, greeting: Greeting, cause?: unknown): Fault {
  const { address } = attempt;
  const said = greeting.said();
  const dropped = new Dropped('The host closed the connection at once', { cause });
  if (THROTTLED.test(said)) {
    const quote = attempt.is_quick ? '' : `: “${said}”`;
    const what = `accepts no more connections at the moment${quote}`;
    return attempt.fault('host_unreachable', `${address} ${what}`, dropped);
  }
  const reason = said === '' ? dropped : cause;
  return attempt.fault('ssh_protocol', `${address} ${notSsh(attempt, said)}`, reason);
}

function notSsh({ is_quick }: Attempt, said: string): string {
  if (is_quick) return 'does not answer as an SSH server';
  return said === '' ? 'closed the connection before SSH began' : `is not an SSH server: it says “${said}”`;
}
