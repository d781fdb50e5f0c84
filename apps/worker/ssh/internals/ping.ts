import type { Client } from 'ssh2';
import { assertParts, protocolOf } from './parts.ts';

interface Parts {
  /** What waits for the answers to global requests, in order. */
  readonly _callbacks: ((error: unknown) => void)[];
}

interface Protocol {
  ping(): void;
}

/** Resolves with the answer to a global request that no host knows (RFC 4254 §4), or with the end of the connection. */
export function ping(client: Client): Promise<void> {
  return new Promise((resolve) => {
    (client as unknown as Parts)._callbacks.push(() => resolve());
    protocolOf<Protocol>(client).ping();
  });
}

export function assertPing(client: Client): void {
  assertParts('Client', client, { _callbacks: 'object' });
  assertParts('Protocol', protocolOf(client), { ping: 'function' });
}
