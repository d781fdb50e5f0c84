import { useQuery } from '@tanstack/solid-query';
import { type Accessor, createSignal } from 'solid-js';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { createPlace } from './storage.ts';

export type User = Schemas['User'];
export type Farewell = 'signed_out' | 'expired';

export interface TokenKeeper {
  readonly token: Accessor<string | undefined>;
  readonly farewell: Accessor<Farewell | undefined>;
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
  const drop = (why: Farewell) => {
    place.clear();
    setFarewell(why);
    setToken(undefined);
  };
  return {
    token,
    farewell,
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

export interface Session {
  readonly user: Accessor<User | undefined>;
  readonly error: Accessor<Error | null>;
  readonly farewell: Accessor<Farewell | undefined>;
  readonly signed_in: Accessor<boolean>;
  signIn(username: string, password: string): Promise<void>;
  changePassword(change: Schemas['PasswordChange']): Promise<void>;
  /** Asks again who we are: a token that was revoked brings the sign-in back. */
  verify(): void;
  signOut(): Promise<void>;
}

export function createSession(client: GatewayClient, keeper: TokenKeeper): Session {
  const { token, farewell, keep, drop } = keeper;
  const me = useQuery(() => ({
    queryKey: ['me', token()],
    queryFn: () => take(client.http.GET('/api/auth/me')),
    enabled: token() !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  }));
  return {
    user: () => (token() === undefined ? undefined : me.data),
    error: () => me.error,
    farewell,
    signed_in: () => token() !== undefined,
    async signIn(username, password) {
      const body = { username, password };
      keep((await take(client.http.POST('/api/auth/login', { body }))).access_token);
    },
    async changePassword(change) {
      await client.http.POST('/api/auth/change-password', { body: change });
      await me.refetch();
    },
    verify: () => void me.refetch(),
    async signOut() {
      // While a password change is due the gateway refuses a log-out; leaving works all the same.
      await client.http.POST('/api/auth/logout').catch(() => undefined);
      drop('signed_out');
    },
  };
}
