import type { Direction } from '../algorithms/strict.ts';
import { assertParts, protocolOf, type Side } from './parts.ts';

interface Protocol {
  _kex: KeyExchange | undefined;
}

export interface KeyExchange {
  readonly negotiated: { readonly kex: string; readonly cs: Direction; readonly sc: Direction };
}

/**
 * Calls the listener with each key exchange once its algorithms are negotiated, before anything is computed or sent for it.
 * Earlier listeners come first.
 */
export function onKeyExchange(side: Side, listener: (exchange: KeyExchange) => void): void {
  const protocol = protocolOf<Protocol>(side);
  const earlier = Object.getOwnPropertyDescriptor(protocol, '_kex')?.set;
  let current = protocol._kex;
  Object.defineProperty(protocol, '_kex', {
    configurable: true,
    get: () => current,
    set(exchange: KeyExchange) {
      earlier?.call(protocol, exchange);
      listener(exchange);
      current = exchange;
    },
  });
}

/** An exchange whose group the host proposes (RFC 4419). */
interface GroupExchange extends KeyExchange {
  setDHParams(prime: Buffer, generator: Buffer): void;
}

function isGroupExchange(exchange: KeyExchange): exchange is GroupExchange {
  return 'setDHParams' in exchange && typeof exchange.setDHParams === 'function';
}

/** Calls the listener with the group that a host proposes; ssh2 goes on to test any prime, which takes seconds. */
export function onProposedGroup(
  exchange: KeyExchange,
  listener: (prime: Buffer, generator: Buffer) => void,
): void {
  if (!isGroupExchange(exchange)) return;
  const accept = exchange.setDHParams.bind(exchange);
  exchange.setDHParams = (prime, generator) => {
    listener(prime, generator);
    accept(prime, generator);
  };
}

export function assertKeyExchange({ negotiated }: KeyExchange): void {
  assertParts('KeyExchange', { negotiated }, { negotiated: 'object' });
  assertParts('KeyExchange.negotiated', negotiated, { kex: 'string', cs: 'object', sc: 'object' });
}

export function assertGroupExchange(exchange: KeyExchange): void {
  assertParts('DHGroupExchange', exchange, { setDHParams: 'function' });
}
