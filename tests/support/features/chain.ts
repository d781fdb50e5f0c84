import type { ConnectionTest } from '#core/model/hosts/connection-test.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { Actor, TestGateway } from '../gateway/gateway.ts';
import { openTerminal, type TerminalClient } from '../gateway/ws.ts';
import type { Sshd } from '../hosts/sshd.ts';

export interface Host extends Record<string, unknown> {
  readonly name: string;
  readonly sshd: Sshd;
}

/** The record of a host, with its password by default. */
export function addHost(gateway: TestGateway, { name, sshd, ...fields }: Host): Promise<Server> {
  const { hostname, port, username, password } = sshd;
  return gateway.addServer({ name, hostname, port, username, password, ...fields });
}

/** Records of three hosts, each behind the one before. */
export async function addChain(
  gateway: TestGateway,
  [first, second, third]: readonly [Host, Host, Host],
): Promise<[Server, Server, Server]> {
  const outer = await addHost(gateway, first);
  const inner = await addHost(gateway, { ...second, jump_via_id: outer.id });
  return [outer, inner, await addHost(gateway, { ...third, jump_via_id: inner.id })];
}

/** A terminal whose shell is opening. */
export function openingTerminal(gateway: TestGateway, id: number, actor = gateway.admin): TerminalClient {
  return openTerminal(`${gateway.url}/api/ws/terminal/${id}?cols=80&rows=24`, {
    headers: { authorization: `Bearer ${actor.token}` },
  });
}

export async function testOf(actor: Actor, id: number): Promise<ConnectionTest> {
  const { status, body } = await actor.call<ConnectionTest>('POST', `/api/servers/${id}/test`);
  if (status !== 200) throw new Error(`No test: ${status} ${JSON.stringify(body)}`);
  return body;
}

export async function serverOf(actor: Actor, id: number): Promise<Server> {
  return (await actor.call<Server>('GET', `/api/servers/${id}`)).body;
}

/** The response to a listing of its root. */
export async function listingOf(
  actor: Actor,
  id: number,
): Promise<{ status: number; code: unknown; detail: unknown }> {
  const { status, body } = await actor.call('GET', `/api/files/${id}/ls?path=/`);
  return { status, code: body['code'], detail: body['detail'] };
}

/** How often a client has started to authenticate. */
export function signInsAt(sshd: Sshd): number {
  return sshd.log().match(/userauth-request for user/g)?.length ?? 0;
}
