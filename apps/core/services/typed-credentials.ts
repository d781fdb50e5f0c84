import type { Credential } from '../model/caller.ts';
import type { ServerRow } from '../model/server.ts';
import type { Clock } from '../ports/runtime.ts';

const KEPT_MS = 5 * 60_000; // as long as an idle pooled connection, from the last use
const MOST = 10_000;

export interface TypedCredential {
  readonly username: string;
  readonly password: string;
}

/** What people typed for servers that store nothing: in memory only, each for one sign-in or key. */
export interface TypedCredentials {
  keep(credential: Credential, server: ServerRow, typed: TypedCredential): void;
  /** Undefined when nothing was typed, it was not used for long, or the server was edited since. */
  of(credential: Credential, server: ServerRow): TypedCredential | undefined;
}

interface Kept {
  readonly typed: TypedCredential;
  readonly revision: string;
  readonly used_at_ms: number;
}

export function createTypedCredentials(clock: Clock): TypedCredentials {
  const kept = new Map<string, Kept>(); // the one that was not used for longest comes first
  const now = () => clock.now().getTime();

  function put(key: string, typed: TypedCredential, { updated_at: revision }: ServerRow): void {
    kept.delete(key);
    kept.set(key, { typed, revision, used_at_ms: now() });
    for (const [old, { used_at_ms }] of kept) {
      if (now() - used_at_ms < KEPT_MS && kept.size <= MOST) break;
      kept.delete(old);
    }
  }

  return {
    keep: (credential, server, typed) => put(keyOf(credential, server), typed, server),
    of(credential, server) {
      const key = keyOf(credential, server);
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      if (found.revision !== server.updated_at || now() - found.used_at_ms >= KEPT_MS) return undefined;
      put(key, found.typed, server);
      return found.typed;
    },
  };
}

/** Whose it is; also the owner of the connections made with it. */
export function ownerOf({ kind, id }: Credential): string {
  return `${kind}:${id}`;
}

function keyOf(credential: Credential, { id }: ServerRow): string {
  return `${ownerOf(credential)}:${id}`;
}
