import { type Credential, isSameCredential } from '../model/caller.ts';
import type { ServerRow } from '../model/server.ts';
import type { Clock } from '../ports/runtime.ts';

const KEPT_MS = 5 * 60_000; // since the last use; the same as for idle pooled connections
const MOST = 10_000;

export interface TypedCredential {
  readonly username: string;
  readonly password: string;
}

/** Credentials typed for servers without stored ones: in memory only, per sign-in or API key. */
export interface TypedCredentials {
  keep(credential: Credential, server: ServerRow, typed: TypedCredential): void;
  /** Undefined when nothing was typed, it has expired, or the server was edited since. */
  of(credential: Credential, server: ServerRow): TypedCredential | undefined;
  forget(credential: Credential, server: ServerRow): void;
  /** The sign-ins and keys with typed credentials. */
  owners(): readonly Credential[];
  forgetOwner(owner: Credential): void;
}

interface Kept {
  readonly owner: Credential;
  readonly typed: TypedCredential;
  readonly revision: string;
  readonly used_at_ms: number;
}

export function createTypedCredentials(clock: Clock): TypedCredentials {
  const kept = new Map<string, Kept>(); // least recently used first

  function put(owner: Credential, server: ServerRow, typed: TypedCredential): void {
    const key = keyOf(owner, server);
    kept.delete(key);
    kept.set(key, { owner, typed, revision: server.updated_at, used_at_ms: clock.elapsed_ms() });
    for (const [old, { used_at_ms }] of kept) {
      if (clock.elapsed_ms() - used_at_ms < KEPT_MS && kept.size <= MOST) break;
      kept.delete(old);
    }
  }

  return {
    keep: put,
    of(credential, server) {
      const key = keyOf(credential, server);
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      if (found.revision !== server.updated_at || clock.elapsed_ms() - found.used_at_ms >= KEPT_MS)
        return undefined;
      put(credential, server, found.typed);
      return found.typed;
    },
    forget: (credential, server) => void kept.delete(keyOf(credential, server)),
    owners: () => [...kept.values()].map(({ owner }) => owner),
    forgetOwner(owner) {
      for (const [key, one] of kept) if (isSameCredential(one.owner, owner)) kept.delete(key);
    },
  };
}

/** Identifies the owner, also of the connections made with it. */
export function ownerOf({ kind, id }: Credential): string {
  return `${kind}:${id}`;
}

function keyOf(credential: Credential, { id }: ServerRow): string {
  return `${ownerOf(credential)}:${id}`;
}
