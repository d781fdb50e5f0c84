import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

/** Node asks for `upgrade` before it stops reading the connection as HTTP. */
export class UpgradableRequest extends IncomingMessage {
  is_offered?: boolean;

  /** RFC 9110 §7.8: an upgrade to another protocol (h2c) is ignored, and the request is answered as usual. */
  get upgrade(): boolean {
    if (!this.is_offered) return false;
    return this.method === 'CONNECT' || this.headers.upgrade?.toLowerCase() === 'websocket';
  }
  set upgrade(is_offered: boolean) {
    this.is_offered = is_offered;
  }
}

/** Refuses to run with a version of Node whose own `upgrade` hides this one: h2c requests would get no answer. */
export function assertUpgradableRequest(): void {
  const request = new UpgradableRequest(new Socket());
  request.upgrade = true;
  if (Object.hasOwn(request, 'upgrade') || request.upgrade)
    throw new Error('This version of Node lacks IncomingMessage.upgrade as an assigned property');
}
