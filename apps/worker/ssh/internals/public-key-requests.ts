import type { Client, ParsedKey } from 'ssh2';
import { assertParts, protocolOf } from './parts.ts';

type Sign = (data: Buffer, signed: (signature: Buffer) => void) => void;

interface Protocol {
  /** Without a `sign`, asks whether the host would accept the key. */
  authPK(username: string, key: ParsedKey, algorithm: string | undefined, sign?: Sign): void;
}

export interface PublicKeyRequest {
  /** False: only asks whether the host would accept the key. */
  readonly is_signed: boolean;
  /** Sends it for this algorithm, with the signature of `sign` whenever that one has it. */
  send(algorithm: string, sign?: Sign): void;
}

/**
 * Hands each public key request to the listener instead of sending it. Nothing else lets a key sign later and keeps a partial
 * success (RFC 4252 §5.1). Call it after `connect`.
 */
export function onPublicKeyRequest(client: Client, listener: (request: PublicKeyRequest) => void): void {
  const protocol = protocolOf<Protocol>(client);
  const authPK = protocol.authPK.bind(protocol);
  protocol.authPK = (username, key, _algorithm, sign) =>
    listener({
      is_signed: sign !== undefined,
      send: (algorithm, signLater) => authPK(username, key, algorithm, signLater),
    });
}

export function assertPublicKeyRequests(client: Client): void {
  assertParts('Protocol', protocolOf(client), { authPK: 'function' });
}
