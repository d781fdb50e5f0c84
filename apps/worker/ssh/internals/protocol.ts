import type { Client } from 'ssh2';
import { ownMemory } from './own-memory.ts';
import { type Decipher, raisePacketLimit } from './packet-limit.ts';
import type { Cipher, PacketPool } from './packet-pool.ts';
import { assertParts, type Parts, protocolOf } from './parts.ts';

interface Protocol {
  readonly _strictMode: boolean | undefined;
  readonly _authenticated: boolean;
  readonly _cipher: Cipher;
  readonly _decipher: Decipher;
  _hostVerifier: (blob: Buffer, verify: (accepted: boolean) => void) => void;
  _onPayload: (payload: Buffer) => unknown;
  _onWrite: (bytes: Buffer) => void;
  _onHandshakeComplete: (...args: readonly unknown[]) => void;
  disconnect(reason: number): void;
  cleanup(): void;
}

const AT_CONNECT: Parts = {
  ...{ _hostVerifier: 'function', _onPayload: 'function', _onWrite: 'function' },
  ...{ _onHandshakeComplete: 'function', disconnect: 'function', cleanup: 'function' },
};
const AFTER_HANDSHAKE: Parts = {
  ...{ _strictMode: 'boolean', _authenticated: 'boolean', _cipher: 'object', _decipher: 'object' },
};

/** What a connection does that no option of ssh2 lets its owner see or refuse. */
export interface ProtocolWatch {
  readonly packets: PacketPool;
  /** The host presents this key, which nobody has judged or verified yet. */
  presented(blob: Buffer): void;
  /** A key exchange is over, and its keys are used from now on. */
  completed(): void;
  written(bytes: number): void;
  /** False drops the packet. */
  received(payload: Buffer): boolean;
  /** Ends the connection of a host that sends a packet longer than any that is accepted. */
  exceeded(what: string): never;
}

export interface WatchedProtocol {
  isAuthenticated(): boolean;
  /** Whether each key exchange starts with fresh sequence numbers. */
  isStrict(): boolean;
  /** Also ends the parsing of what the host has sent in the same chunk. */
  disconnect(reason: number): void;
}

/** Call it after `connect`. */
export function watchProtocol(client: Client, watch: ProtocolWatch): WatchedProtocol {
  const protocol = protocolOf<Protocol>(client);
  const isAuthenticated = () => protocol._authenticated;
  protocol._onHandshakeComplete = preceded(() => {
    watch.completed();
    ownMemory(protocol);
    ownMemory(protocol._decipher);
    raisePacketLimit(protocol._decipher, { isRaised: isAuthenticated, exceeded: watch.exceeded });
    watch.packets.supply(protocol._cipher);
  }, protocol._onHandshakeComplete);
  protocol._onWrite = preceded(({ length }) => watch.written(length), protocol._onWrite);
  protocol._hostVerifier = preceded((blob) => watch.presented(blob), protocol._hostVerifier);
  const receive = protocol._onPayload;
  protocol._onPayload = (payload) => (watch.received(payload) ? receive(payload) : undefined);
  return {
    isAuthenticated,
    isStrict: () => protocol._strictMode === true,
    disconnect(reason) {
      protocol.disconnect(reason);
      protocol.cleanup();
    },
  };
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

export function assertProtocol(client: Client): void {
  assertParts('Protocol', protocolOf(client), AT_CONNECT);
}

export function assertConnected(client: Client): void {
  const protocol = protocolOf<Protocol>(client);
  assertParts('Protocol', protocol, AFTER_HANDSHAKE);
  assertParts('Cipher', protocol._cipher, { allocPacket: 'function' });
  assertParts('Decipher', protocol._decipher, { _len: 'number' });
}
