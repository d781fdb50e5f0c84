import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { configQuery } from '../lib/gateway-info.ts';
import { createPlace } from '../lib/storage.ts';

export type User = Schemas['User'];
export type Farewell = 'signed_out' | 'expired';

const LOOK_MS = 10_000; // who was signed out elsewhere, or has lost a right, sees it within that time
const KEPT_QUERIES: ReadonlySet<unknown> = new Set(['config', 'me']); // alike for everybody, or by token

export interface TokenKeeper {
  readonly token: Accessor<string | undefined>;
  readonly farewell: Accessor<Farewell | undefined>;
  /** How the last session ended, also after the next sign-in; unknown after a reload. */
  readonly last_farewell: Accessor<Farewell | undefined>;
  keep(token: string): void;
  drop(why: Farewell): void;
  /** The gateway refused this token; a newer one is left alone. */
  refused(token: string): void;
}

/** The session token: in memory and `sessionStorage`, nowhere else. */
export function createTokenKeeper(): TokenKeeper {
  const place = createPlace('session', 'token');
  const kept = place.read();
  const [token, setToken] = createSignal(typeof kept === 'string' ? kept : undefined);
  const [farewell, setFarewell] = createSignal<Farewell>();
  const [last_farewell, setLastFarewell] = createSignal<Farewell>();
  const drop = (why: Farewell) => {
    place.clear();
    setFarewell(why);
    setLastFarewell(why);
    setToken(undefined);
  };
  return {
    token,
    farewell,
    last_farewell,
    keep(value) {
      place.write(value);
      setFarewell(undefined);
      setToken(value);
    },
    drop,
    refused: (value) => {
      if (value === token()) drop('expired');
    },
  };
}

/** The second step of a sign-in; its token lives two minutes, and nowhere but in here. */
export interface SecondStep {
  prove(code: string): Promise<void>;
}

export interface Session {
  readonly user: Accessor<User | undefined>;
  readonly error: Accessor<Error | null>;
  readonly farewell: Accessor<Farewell | undefined>;
  readonly last_farewell: Accessor<Farewell | undefined>;
  readonly signed_in: Accessor<boolean>;
  /** Answers with a second step when there is one. */
  signIn(username: string, password: string): Promise<SecondStep | undefined>;
  changePassword(change: Schemas['PasswordChange']): Promise<void>;
  /** Asks again who we are: a token that was revoked brings the sign-in back. */
  verify(): void;
  signOut(): Promise<void>;
  signOutEverywhere(): Promise<void>;
}

export function createSession(client: GatewayClient, keeper: TokenKeeper): Session {
  const { token, farewell, last_farewell, drop } = keeper;
  const queries = useQueryClient();
  const me = useQuery(() => ({
    queryKey: ['me', token()],
    queryFn: () => take(client.http.GET('/api/auth/me')),
    enabled: token() !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: LOOK_MS, // rests while the page is hidden
    refetchOnWindowFocus: 'always' as const,
    refetchOnReconnect: 'always' as const,
    reconcile: 'id',
  }));
  const onFocus = () => void (token() !== undefined && me.refetch({ cancelRefetch: false }));
  window.addEventListener('focus', onFocus);
  onCleanup(() => window.removeEventListener('focus', onFocus));
  /** What is remembered of the user before is not for this one. */
  function enter(fresh: string): void {
    queries.removeQueries({ predicate: ({ queryKey }) => !KEPT_QUERIES.has(queryKey[0]) });
    keeper.keep(fresh);
  }
  return {
    user: () => (token() === undefined ? undefined : me.data),
    error: () => me.error,
    farewell,
    last_farewell,
    signed_in: () => token() !== undefined,
    async signIn(username, password) {
      const body = { username, password };
      const { access_token, requires_2fa } = await take(client.http.POST('/api/auth/login', { body }));
      if (requires_2fa) return secondStep(client, enter, access_token);
      enter(access_token);
      return undefined;
    },
    async changePassword(change) {
      await client.http.POST('/api/auth/change-password', { body: change });
      await me.refetch();
    },
    verify: () => void me.refetch(),
    async signOut() {
      const is_demo = queries.getQueryData(configQuery(client).queryKey)?.demo_mode;
      // While a password change is due the gateway refuses a log-out; leaving works all the same.
      if (!is_demo) await client.http.POST('/api/auth/logout').catch(() => undefined);
      drop('signed_out');
    },
    async signOutEverywhere() {
      await client.http.DELETE('/api/auth/sessions');
      drop('signed_out');
    },
  };
}

function secondStep(client: GatewayClient, enter: (token: string) => void, pending: string): SecondStep {
  const headers = { Authorization: `Bearer ${pending}` };
  return {
    async prove(code) {
      const body = { code: code.trim() };
      const proven = await take(client.http.POST('/api/auth/totp/verify', { body, headers }));
      if ('access_token' in proven) enter(proven.access_token);
    },
  };
}
