import type { Client } from 'ssh2';
import { assertParts, protocolOf } from './parts.ts';

interface Extension {
  readonly name: string;
  readonly algs?: readonly string[];
}

interface Protocol {
  readonly _handlers: { EXT_INFO(protocol: unknown, extensions: readonly Extension[]): void };
}

/** Reads which signature algorithms the host says it accepts from users (RFC 8308 §3.1). Call it after `connect`. */
export function watchSignatureAlgorithms(client: Client): () => readonly string[] | undefined {
  const { _handlers: handlers } = protocolOf<Protocol>(client);
  const handle = handlers.EXT_INFO;
  let announced: readonly string[] | undefined;
  handlers.EXT_INFO = (protocol, extensions) => {
    const found = extensions.find(({ name }) => name === 'server-sig-algs')?.algs;
    if (found) announced = found;
    handle(protocol, extensions);
  };
  return () => announced;
}

export function assertAnnouncedAlgorithms(client: Client): void {
  const protocol = protocolOf<Protocol>(client);
  assertParts('Protocol', protocol, { _handlers: 'object' });
  assertParts('Protocol._handlers', protocol._handlers, { EXT_INFO: 'function' });
}
