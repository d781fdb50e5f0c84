import type { Credential } from '../model/caller.ts';
import type { UserRow } from '../model/user.ts';
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

/** Checks many credentials in two queries. */
export function createCredentialOwners({ repositories: { web_sessions, api_keys }, clock }: Deps) {
  return async function credentialOwnersOf(credentials: readonly Credential[]): Promise<CredentialOwners> {
    const session_ids = credentials.flatMap((one) => (one.kind === 'session' ? [one.id] : []));
    const key_ids = credentials.flatMap((one) => (one.kind === 'api_key' ? [one.id] : []));
    const now = clock.now().toISOString();
    const sessions = byId(
      session_ids.length > 0 ? await web_sessions.standing(distinct(session_ids), now) : [],
    );
    const keys = byId(key_ids.length > 0 ? await api_keys.standing(distinct(key_ids), now) : []);
    const find = (credential: Credential) =>
      credential.kind === 'session' ? sessions.get(credential.id) : keys.get(credential.id);
    return {
      ownerOf: (credential) => find(credential)?.user,
      expiryOf: (credential) => find(credential)?.expires_at ?? undefined,
    };
  };
}

function byId<Row extends { readonly id: string | number }>(rows: readonly Row[]): Map<Row['id'], Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
