import { Fault } from '#core/errors.ts';
import type { AppRoute } from '../contract/app-route.ts';
import type { AppContext } from './env.ts';

/** What a browser may want a file for: to save or show it, to read it in a script, or to play it. */
const ALLOWED = new Set(['document', 'empty', 'image', 'audio', 'video']);

/** A file of a host must never run as code or be framed, whatever its type: a link to it works without a header. */
export function assertDestination(c: AppContext, route: AppRoute): void {
  if (route['x-ticket'] === undefined || route['x-websocket']) return;
  const destination = c.req.header('sec-fetch-dest');
  if (destination !== undefined && !ALLOWED.has(destination)) throw new Fault('destination_refused');
}
