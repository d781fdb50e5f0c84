import type { Actor, TestGateway } from '../gateway/gateway.ts';
import { openTerminal, type TerminalClient } from '../gateway/ws.ts';

/** A socket of one kind of terminal, by its address below `/api/ws/terminal/`. */
export function socketTo(
  gateway: Pick<TestGateway, 'url'>,
  path: string,
  actor: Pick<Actor, 'token'>,
): TerminalClient {
  const url = `${gateway.url}/api/ws/terminal/${path}`;
  return openTerminal(url, { headers: { authorization: `Bearer ${actor.token}` } });
}

export interface OpenShell {
  readonly client: TerminalClient;
  readonly session_id: string;
}

/** A shell that is there. */
export async function shellOn(
  gateway: Pick<TestGateway, 'url'>,
  server_id: number,
  actor: Pick<Actor, 'token'>,
): Promise<OpenShell> {
  const client = socketTo(gateway, `${server_id}?cols=80&rows=24`, actor);
  const { session_id } = await client.frame('session');
  return { client, session_id: String(session_id) };
}

/** The same shell, over a new socket. */
export function resumed(
  gateway: Pick<TestGateway, 'url'>,
  { session_id, offset }: { session_id: string; offset?: number },
  actor: Pick<Actor, 'token'>,
): TerminalClient {
  return socketTo(gateway, `resume/${session_id}${offset === undefined ? '' : `?offset=${offset}`}`, actor);
}

/** Breaks the connection as a network does: without a closing handshake. Resolves when the gateway knows. */
export async function cut(client: TerminalClient): Promise<void> {
  client.raw.terminate();
  await client.closed();
}
