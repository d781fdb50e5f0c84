import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import type { Clock } from '#core/ports/runtime.ts';
import { isPublishedGroup } from '../algorithms/groups.ts';
import { oversized, strings } from '../algorithms/host-key-size.ts';
import { unsafeWithoutStrict } from '../algorithms/strict.ts';
import { HostViolation } from '../faults.ts';
import { incomingOf } from '../internals/channel-incoming.ts';
import { onKeyExchange, onProposedGroup } from '../internals/key-exchange.ts';
import { refuseOversized } from '../internals/packet-limit.ts';
import { createPacketPool } from '../internals/packet-pool.ts';
import { watchProtocol } from '../internals/protocol.ts';
import { createRekeyLimit } from './rekey-limit.ts';
import { limitUnread } from './unread-limit.ts';

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
  const limit = createRekeyLimit(clock);
  const packets = createPacketPool(clock);
  let cancelTimeout = () => {};
  let is_first = true;

  /** The host may have sent more in the same chunk, so ssh2 must not go on parsing. */
  function violated(what: string): never {
    protocol.disconnect(KEY_EXCHANGE_FAILED);
    throw new HostViolation(what);
  }
  function timedOut(): void {
    client.emit(
      'error',
      new HostViolation(`did not finish a key exchange within ${rekey_timeout_ms / 1000} s`),
    );
  }
  function admitRekey(): void {
    if (!protocol.isAuthenticated()) violated('starts another key exchange before authentication');
    if (!limit.admit()) violated('exchanges keys too often: more than once in 10 s');
    cancelTimeout();
    cancelTimeout = clock.after(rekey_timeout_ms, timedOut);
  }

  const announcements = limitAnnouncements();
  const protocol = watchProtocol(client, {
    packets,
    presented(blob) {
      const what = oversized(blob);
      if (what !== undefined) violated(`presents ${what}`);
    },
    completed: () => cancelTimeout(),
    written: (bytes) => limit.count(bytes),
    received(payload) {
      limit.count(payload.length + PACKET_OVERHEAD_BYTES);
      const bytes = largestPacket(payload);
      refuseOversized(payload, violated);
      if (bytes < MIN_PACKET_BYTES) violated(`takes only ${bytes} bytes in one packet`);
      if (!announcements.accept(payload)) return false;
      return acceptsData(client, payload, violated);
    },
    exceeded: violated,
  });
  onKeyExchange(client, (exchange) => {
    if (!is_first) admitRekey();
    is_first = false;
    const unsafe = protocol.isStrict() ? undefined : unsafeWithoutStrict(exchange.negotiated);
    if (unsafe) violated(`would use ${unsafe}, which is unsafe without strict key exchange`);
    onProposedGroup(exchange, (prime, generator) => {
      if (!isPublishedGroup(prime, generator))
        violated('proposes a Diffie-Hellman group that is none of RFC 3526 or RFC 7919');
    });
  });
  limitUnread(stream, {
    sent: packets.sent,
    exceeded() {
      client.emit('error', new HostViolation('does not read what it is sent'));
      stream.destroy(); // the last packets would wait behind the unread ones
    },
  });
  stream.once('close', () => cancelTimeout());
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

const CHANNEL_DATA = 94;
const CHANNEL_EXTENDED_DATA = 95;
// Those who use a channel keep it to its window (channels/window.ts); this is for one that nobody uses, or not yet.
const MAX_EXCESS_BYTES = 4 * 1024 * 1024;

/** ssh2 enforces no window, and throws at data that follows the EOF of the host (RFC 4254 §5.3). */
function acceptsData(client: Client, payload: Buffer, violated: (what: string) => never): boolean {
  if (payload[0] !== CHANNEL_DATA && payload[0] !== CHANNEL_EXTENDED_DATA) return true;
  const incoming = payload.length < 5 ? undefined : incomingOf(client, payload.readUInt32BE(1));
  if (!incoming) return true;
  if (incoming.window - payload.length < -MAX_EXCESS_BYTES) violated('sent more data than its window allows');
  return incoming.state === 'open';
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
