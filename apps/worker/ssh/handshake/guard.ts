import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import type { Clock } from '#core/ports/runtime.ts';
import { isPublishedGroup } from '../algorithms/groups.ts';
import { oversized, strings } from '../algorithms/host-key-size.ts';
import { type Direction, unsafeWithoutStrict } from '../algorithms/strict.ts';
import { HostViolation } from '../faults.ts';
import { ownMemory } from './own-memory.ts';
import { type Cipher, reusePackets } from './packet-pool.ts';
import { createRekeyLimit } from './rekey-limit.ts';
import { limitUnread } from './unread-limit.ts';

interface KeyExchange {
  readonly negotiated: { readonly cs: Direction; readonly sc: Direction };
  /** Only for group exchange, once the host has proposed a group. */
  setDHParams?(prime: Buffer, generator: Buffer): void;
}

/** The part of ssh2's protocol that no option limits. */
interface Protocol {
  _kex: KeyExchange | undefined;
  readonly _strictMode: boolean | undefined;
  readonly _authenticated: boolean;
  readonly _cipher: Cipher;
  readonly _decipher: object;
  _hostVerifier: (blob: Buffer, verify: (accepted: boolean) => void) => void;
  _onPayload: (payload: Buffer) => unknown;
  _onWrite: (bytes: Buffer) => void;
  _onHandshakeComplete: (...args: readonly unknown[]) => void;
  disconnect(reason: number): void;
  cleanup(): void;
}

const PARTS = [
  ...(['_hostVerifier', '_onPayload', '_onWrite', '_onHandshakeComplete'] as const),
  ...(['disconnect', 'cleanup'] as const),
] as const;

/** ssh2 is locked to one version; another one without these parts must not connect without the limits. */
function protocolOf(client: Client): Protocol {
  const { _protocol } = client as unknown as { readonly _protocol?: Partial<Protocol> };
  const is_complete = PARTS.every((part) => typeof _protocol?.[part] === 'function');
  if (!is_complete) throw new Error('This version of ssh2 cannot be limited');
  return _protocol as Protocol;
}

const KEY_EXCHANGE_FAILED = 3; // RFC 4253 §11.1
const PACKET_OVERHEAD_BYTES = 32; // length, padding and MAC

export interface GuardOptions {
  readonly stream: Duplex;
  readonly clock: Clock;
  /** How long a key exchange after the first may take. */
  readonly rekey_timeout_ms: number;
}

/** Ends the connection of a host that would hold up the event loop, or fill the memory. Call it after `connect`. */
export function guardClient(client: Client, { stream, clock, rekey_timeout_ms }: GuardOptions): void {
  const protocol = protocolOf(client);
  const limit = createRekeyLimit(clock);
  let cancelTimeout = () => {};
  let is_first = true;

  /** The host may have sent more in the same chunk, so ssh2 must not go on parsing. */
  function violated(what: string): never {
    protocol.disconnect(KEY_EXCHANGE_FAILED);
    protocol.cleanup();
    throw new HostViolation(what);
  }
  function timedOut(): void {
    client.emit(
      'error',
      new HostViolation(`did not finish a key exchange within ${rekey_timeout_ms / 1000} s`),
    );
  }
  function admitRekey(): void {
    if (!protocol._authenticated) violated('starts another key exchange before authentication');
    if (!limit.admit()) violated('exchanges keys too often: more than once in 10 s');
    cancelTimeout();
    cancelTimeout = clock.after(rekey_timeout_ms, timedOut);
  }

  onKeyExchange(protocol, (exchange) => {
    if (!is_first) admitRekey();
    is_first = false;
    const unsafe = protocol._strictMode === true ? undefined : unsafeWithoutStrict(exchange.negotiated);
    if (unsafe) violated(`would use ${unsafe}, which is unsafe without strict key exchange`);
    limitGroups(exchange, violated);
  });
  const complete = protocol._onHandshakeComplete;
  protocol._onHandshakeComplete = preceded(() => {
    cancelTimeout();
    ownMemory(protocol);
    ownMemory(protocol._decipher);
    reusePackets(protocol._cipher);
  }, complete);
  protocol._onWrite = preceded(({ length }) => limit.count(length), protocol._onWrite);
  protocol._hostVerifier = preceded((blob) => {
    const what = oversized(blob);
    if (what !== undefined) violated(`presents ${what}`);
  }, protocol._hostVerifier);
  const announcements = limitAnnouncements();
  const receive = protocol._onPayload;
  protocol._onPayload = (payload) => {
    limit.count(payload.length + PACKET_OVERHEAD_BYTES);
    const bytes = largestPacket(payload);
    if (bytes < MIN_PACKET_BYTES) violated(`takes only ${bytes} bytes in one packet`);
    return announcements.accept(payload) ? receive(payload) : undefined;
  };
  limitUnread(stream, () => {
    client.emit('error', new HostViolation('does not read what it is sent'));
    stream.destroy(); // the last packets would wait behind the unread ones
  });
  stream.once('close', () => cancelTimeout());
}

/** The method, with another call before it. */
function preceded<Args extends readonly unknown[]>(
  first: (...args: Args) => void,
  method: (...args: Args) => unknown,
): (...args: Args) => unknown {
  return (...args) => {
    first(...args);
    return method(...args);
  };
}

/** Called with each key exchange once its algorithms are negotiated, before anything is computed or sent for it. */
function onKeyExchange(protocol: Protocol, listener: (exchange: KeyExchange) => void): void {
  let current: KeyExchange | undefined;
  Object.defineProperty(protocol, '_kex', {
    get: () => current,
    set(exchange: KeyExchange) {
      listener(exchange);
      current = exchange;
    },
  });
}

/** ssh2 tests any prime of the host, which takes seconds. */
function limitGroups(exchange: KeyExchange, violated: (what: string) => never): void {
  const accept = exchange.setDHParams?.bind(exchange);
  if (!accept) return;
  exchange.setDHParams = (prime, generator) => {
    if (!isPublishedGroup(prime, generator))
      violated('proposes a Diffie-Hellman group that is none of RFC 3526 or RFC 7919');
    accept(prime, generator);
  };
}

const CHANNEL_OPEN_CONFIRMATION = 91;
const LARGEST_PACKET_AT = 13; // behind the kind, two numbers of the channel and its window (RFC 4254 §5.1)
// RFC 4253 §6.1 demands 32,768, which OpenSSH, Dropbear and Go announce; devices may take less. ssh2 cuts without a pause,
// and never comes to an end with packets of 0 bytes.
const MIN_PACKET_BYTES = 256;

/** What a host that accepts a channel takes in one packet. */
function largestPacket(payload: Buffer): number {
  const is_accepted = payload[0] === CHANNEL_OPEN_CONFIRMATION && payload.length >= LARGEST_PACKET_AT + 4; // ssh2 refuses a shorter one
  return is_accepted ? payload.readUInt32BE(LARGEST_PACKET_AT) : Number.POSITIVE_INFINITY;
}

const GLOBAL_REQUEST = 80;
const MAX_ANNOUNCEMENT_BYTES = 8 * 1024; // ssh2 parses and verifies every key

/** A host announces its keys once, after authentication (OpenSSH PROTOCOL §2.5); any more are dropped. */
function limitAnnouncements() {
  let is_announced = false;
  return {
    accept(payload: Buffer): boolean {
      if (payload[0] !== GLOBAL_REQUEST) return true;
      const [name] = strings(payload.subarray(1), 1);
      if (!name?.toString('latin1').startsWith('hostkeys')) return true;
      if (is_announced || payload.length > MAX_ANNOUNCEMENT_BYTES) return false;
      is_announced = true;
      const keys = strings(payload.subarray(1 + 4 + name.length + 1), payload.length);
      return keys.every((blob) => oversized(blob) === undefined);
    },
  };
}
