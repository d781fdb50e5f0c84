import type { Client, Connection } from 'ssh2';

/** Private parts of an object, and what `typeof` says about each. */
export type Parts = Readonly<Record<string, 'boolean' | 'function' | 'number' | 'object' | 'string'>>;

/** Refuses another version of ssh2, which promises none of its private parts. */
export function assertParts(name: string, holder: object, parts: Parts): void {
  const missing = Object.entries(parts)
    .filter(([part, kind]) => typeof (Reflect.get(holder, part) ?? undefined) !== kind)
    .map(([part, kind]) => `${name}.${part} (${kind})`);
  if (missing.length > 0) throw new Error(`This version of ssh2 lacks ${missing.join(', ')}`);
}

/** One side of an SSH connection. Its protocol exists once a client connects, and from the start in a server. */
export type Side = Client | Connection;

/** The protocol of a connection, with the private parts that the caller names and checks at start. */
export function protocolOf<Protocol extends object>(side: Side): Protocol {
  return (side as unknown as { readonly _protocol: Protocol })._protocol;
}
