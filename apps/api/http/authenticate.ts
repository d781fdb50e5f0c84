import type { Callers } from '#core/accounts/callers.ts';
import type { Tickets } from '#core/accounts/tickets.ts';
import { Fault } from '#core/errors.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { AppRoute } from '../contract/app-route.ts';
import { idOf } from '../contract/shapes.ts';
import type { AppContext } from './env.ts';

export interface Authenticators {
  readonly callers: Callers;
  readonly tickets: Tickets;
}

/** Reads the credential from the ticket, else the `Authorization` header, else `token` in the query. */
export async function authenticate(
  c: AppContext,
  route: AppRoute,
  services: Authenticators,
): Promise<Caller> {
  const ip = c.var.ip_address;
  const ticket = route['x-ticket'] ? c.req.query('ticket') : undefined;
  if (ticket !== undefined) return redeem(c, route, ticket, services.tickets);
  const header = authorizationOf(c);
  const token = route['x-allow']?.includes('token_in_query') ? c.req.query('token') : undefined;
  const is_of_proxy = header !== undefined && isBasic(header) && token !== undefined;
  if (header !== undefined && !is_of_proxy) return services.callers.fromBearer(bearerOf(header), ip);
  if (token !== undefined) return services.callers.fromBearer(token, ip);
  throw new Fault('not_authenticated');
}

function redeem(c: AppContext, route: AppRoute, ticket: string, tickets: Tickets): Promise<Caller> {
  const ip = c.var.ip_address;
  if (route['x-ticket'] === 'socket') return tickets.redeemForSocket(ticket, ip);
  if (route['x-ticket'] === 'recording') {
    return tickets.redeemForRecording(ticket, idOf(c.req.param('id')), ip);
  }
  const server_id = idOf(c.req.param('server_id'));
  if (route['x-ticket'] === 'archive') return redeemForArchive(c, ticket, server_id, tickets);
  return tickets.redeemForFile(ticket, { server_id, path: c.req.query('path') ?? '' }, ip);
}

/** The ticket holds the paths of the archive, which need not be in the URL. */
async function redeemForArchive(
  c: AppContext,
  ticket: string,
  server_id: number,
  tickets: Tickets,
): Promise<Caller> {
  const asked = { server_id, path: c.req.query('path') };
  const { caller, paths } = await tickets.redeemForArchive(ticket, asked, c.var.ip_address);
  c.set('archive', paths);
  return caller;
}

/** For clients behind a proxy with basic authentication, which needs `Authorization` for itself. */
export const SECOND_AUTHORIZATION = 'x-sallyport-authorization';

/** The header that names the caller: the second one where the first is absent, empty or belongs to a proxy. */
export function authorizationOf(c: AppContext): string | undefined {
  const header = c.req.header('authorization');
  const second = c.req.header(SECOND_AUTHORIZATION);
  const is_free = header === undefined || header.trim() === '' || isBasic(header);
  return second !== undefined && is_free ? second : header;
}

function isBasic(header: string): boolean {
  return /^\s*basic\s/i.test(header);
}

/** The token of an `Authorization` header. */
export function bearerOf(header: string): string {
  const [scheme, token, ...rest] = header.trim().split(/\s+/);
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) throw new Fault('invalid_token');
  return token;
}
