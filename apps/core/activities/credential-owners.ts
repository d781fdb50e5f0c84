import { byKind, type Credential } from '../model/accounts/caller.ts';
import type { UserRow } from '../model/accounts/user.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

/** Which credentials are still valid; open sockets and transfers are checked against this. */
export interface CredentialOwners {
  /** Undefined when the credential was revoked or its owner was disabled or deleted. */
  ownerOf(credential: Credential): UserRow | undefined;
  /** When a valid credential expires by itself. */
  expiryOf(credential: Credential): string | undefined;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'web_sessions' | 'api_keys'>;
  readonly clock: Clock;
}

interface Found {
  readonly user: UserRow;
  readonly expires_at: string | null;
}

/** Checks many credentials in two queries. */
export function createCredentialOwners({ repositories: { web_sessions, api_keys }, clock }: Deps) {
  return async function credentialOwnersOf(credentials: readonly Credential[]): Promise<CredentialOwners> {
    const now = clock.now().toISOString();
    const session_ids = new Set<string>();
    const key_ids = new Set<number>();
    for (const credential of credentials) {
      byKind<unknown>(credential, {
        session: ({ id }) => session_ids.add(id),
        api_key: ({ id }) => key_ids.add(id),
      });
    }
    const sessions = byId(session_ids.size > 0 ? await web_sessions.standing([...session_ids], now) : []);
    const keys = byId(key_ids.size > 0 ? await api_keys.standing([...key_ids], now) : []);
    const find = (credential: Credential) =>
      byKind<Found | undefined>(credential, {
        session: ({ id }) => sessions.get(id),
        api_key: ({ id }) => keys.get(id),
      });
    return {
      ownerOf: (credential) => find(credential)?.user,
      expiryOf: (credential) => find(credential)?.expires_at ?? undefined,
    };
  };
}

function byId<Row extends { readonly id: string | number }>(rows: readonly Row[]): Map<Row['id'], Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
