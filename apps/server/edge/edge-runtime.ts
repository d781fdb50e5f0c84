import type { AppContext, Runtime } from '#api/http/env.ts';
import { Fault } from '#core/errors.ts';

/** File requests are forwarded to the worker with their bodies unread, and sockets by the platform. */
function notHere(): never {
  throw new Fault('internal');
}

/** Platforms without threads bound each request by themselves. */
function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** For platforms without Node's sockets. `remoteAddress`: as the platform knows it, never as the caller claims it. */
export function edgeRuntime(remoteAddress: (c: AppContext) => string): Runtime {
  return {
    remoteAddress,
    isTrustedProxy: () => false,
    isUpgrade: () => false,
    inRequest: (_request_id, work) => work(),
    onGone: () => () => undefined,
    onAnswered: () => undefined,
    boundUnread: () => undefined,
    body: notHere,
    parseJson: async (text) => parsed(text),
    multipart: notHere,
    breakOff: () => undefined,
    upgrade: notHere,
    relay: notHere,
  };
}
