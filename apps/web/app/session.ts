import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { configQuery } from '../lib/gateway-info.ts';
import { keptToken } from './kept-token.ts';

export type User = Schemas['User'];
export type Farewell = 'signed_out' | 'expired';

const POLL_MS = 10_000; // a revoked session or a changed permission shows within this time
const KEPT_QUERIES: ReadonlySet<unknown> = new Set(['config', 'me']); // the same for every user, or keyed by token

export interface TokenKeeper {
  readonly token: Accessor<string | undefined>;
  readonly farewell: Accessor<Farewell | undefined>;
  /** How the last session ended. Kept across the next sign-in, lost on reload. */
  readonly last_farewell: Accessor<Farewell | undefined>;
  keep(token: string): void;
  drop(why: Farewell): void;
  /** Drops this token after the gateway refused it; a newer token stays. */
  refused(token: string): void;
}

/** Keeps the session token in memory and `sessionStorage` only. */
export function createTokenKeeper(): TokenKeeper {
  const place = keptToken();
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

/** The second step of a sign-in. Its token is valid for two minutes and is never stored. */
export interface SecondStep {
  prove(code: string): Promise<void>;
}

export interface Session {
  readonly user: Accessor<User | undefined>;
  readonly error: Accessor<Error | null>;
  readonly farewell: Accessor<Farewell | undefined>;
  readonly last_farewell: Accessor<Farewell | undefined>;
  readonly signed_in: Accessor<boolean>;
  /** Returns the second step if the account has two-factor authentication. */
  signIn(username: string, password: string): Promise<SecondStep | undefined>;
  changePassword(change: Schemas['PasswordChange']): Promise<void>;
  /** Reloads the user; a revoked token leads back to the sign-in. */
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
    refetchInterval: POLL_MS, // rests while the page is hidden
    refetchOnWindowFocus: 'always' as const,
    refetchOnReconnect: 'always' as const,
    reconcile: 'id',
  }));
  const onFocus = () => void (token() !== undefined && me.refetch({ cancelRefetch: false }));
  window.addEventListener('focus', onFocus);
  onCleanup(() => window.removeEventListener('focus', onFocus));
  /** Drops cached data of the previous user before keeping the new token. */
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
      // The gateway refuses a logout while a password change is required; drop the token regardless.
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
  const headers = Object.fromEntries([client.tokenHeader(pending)]);
  return {
    async prove(code) {
      const body = { code: code.trim() };
      const proven = await take(client.http.POST('/api/auth/totp/verify', { body, headers }));
      if ('access_token' in proven) enter(proven.access_token);
    },
  };
}
