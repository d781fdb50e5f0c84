import { createClient, type GatewayClient, type Schemas, take } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';

const RETRY_MS = 10_000;
const RENEWED_AT = 2 / 3; // of the token's life
const SOONEST_MS = 5000;

export type EmbedSession = Schemas['EmbedSession'];

interface Options {
  readonly base_url: string;
  /** The first ticket; used once. */
  readonly ticket: string | undefined;
  readonly getTicket: (() => Promise<string> | string) | undefined;
  readonly kind: EmbedSession['kind'];
  readonly server_id: () => number;
}

/** The session of one element: started with a ticket, renewed while the element lives. */
export interface ElementSession {
  readonly client: GatewayClient;
  /** The session, or a new one if it has ended and another ticket can be had. `is_doubtful`: asks the gateway first. */
  ensure(how?: { readonly is_doubtful?: boolean }): Promise<EmbedSession>;
  /** Asks the gateway whether the session has ended. */
  verify(): void;
  /** Called when the gateway no longer takes the session. The result ends that. */
  onEnd(listener: () => void): () => void;
  /** Ends the session at the gateway too. */
  dispose(): void;
}

export class NoTicket extends Error {
  override readonly name = 'NoTicket';
}

export function createElementSession({
  base_url,
  ticket,
  getTicket,
  kind,
  server_id,
}: Options): ElementSession {
  let unused = ticket;
  let session: EmbedSession | undefined;
  let valid_until_ms = 0;
  let starting: Promise<EmbedSession> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let is_disposed = false;
  let forgotten = 0; // how often, so that a late renewal is known
  const on_end = new Set<() => void>();
  const client = createClient({
    base_url,
    credentials: { token: () => session?.access_token, refused },
    retries: 0, // as in the page
  });

  function refused(token: string): void {
    if (session === undefined || token !== session.access_token) return;
    forget();
    for (const listener of on_end) listener();
  }

  function forget(): void {
    clearTimeout(timer);
    forgotten += 1;
    session = undefined;
  }

  function keep(fresh: EmbedSession): EmbedSession {
    session = fresh;
    const life_ms = fresh.expires_in * 1000;
    valid_until_ms = Date.now() + life_ms;
    later(Math.max(SOONEST_MS, life_ms * RENEWED_AT));
    return fresh;
  }

  function later(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => session && void renew(), ms);
  }

  /** False when the gateway refused it. */
  async function renew(): Promise<boolean> {
    const before = forgotten;
    try {
      const fresh = await take(client.http.POST('/api/auth/embed-session/renew'));
      if (forgotten === before) keep(fresh);
      else end(fresh.access_token);
      return session !== undefined;
    } catch (error) {
      if (forgotten !== before) return session !== undefined;
      const is_refused = error instanceof ClientError && error.status >= 400 && error.status < 429;
      if (!is_refused) later(RETRY_MS);
      return !is_refused;
    }
  }

  async function start(): Promise<EmbedSession> {
    const given = unused ?? (await getTicket?.());
    unused = undefined;
    if (!given || is_disposed) throw new NoTicket();
    const started = await take(client.http.POST('/api/auth/embed-session', { body: { ticket: given } }));
    if (is_disposed) {
      end(started.access_token);
      throw new NoTicket();
    }
    try {
      assertMeant(started);
    } catch (error) {
      end(started.access_token);
      throw error;
    }
    return keep(started);
  }

  function assertMeant({ kind: granted, server }: EmbedSession): void {
    if (granted !== kind) throw refusal(`The ticket is for ${granted}`);
    if (server.id !== server_id()) throw refusal(`The ticket is for the server ${server.id}`);
  }

  /** The page may be going away. */
  function end(token: string): void {
    const headers = { Authorization: `Bearer ${token}` };
    client.http.DELETE('/api/auth/embed-session', { headers, keepalive: true }).catch(() => undefined);
  }

  return {
    client,
    async ensure({ is_doubtful = false } = {}) {
      if (session && Date.now() < valid_until_ms && (!is_doubtful || (await renew())) && session)
        return session;
      forget();
      starting ??= start().finally(() => {
        starting = undefined;
      });
      return starting;
    },
    verify: () => void (session && renew()),
    onEnd(listener) {
      on_end.add(listener);
      return () => void on_end.delete(listener);
    },
    dispose() {
      if (is_disposed) return;
      is_disposed = true;
      if (session) end(session.access_token);
      forget();
    },
  };
}

const refusal = (detail: string) => new ClientError({ status: 403, code: 'embed_refused', detail });
