import { type Credential, isSameCredential } from '../model/accounts/caller.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { Clock } from '../ports/runtime.ts';

const KEPT_MS = 5 * 60_000; // since the last use; the same as for idle pooled connections
const MOST = 10_000;

export interface TypedCredential {
  readonly username: string;
  readonly password: string;
}

/** A typed credential as one instance hands it to another. */
export interface HandedCredential extends TypedCredential {
  readonly typed_at_ms: number;
}

export type PromptingServer = Pick<ServerRow, 'id' | 'updated_at'>;

/** Credentials typed for servers without stored ones: in this instance's memory only, per sign-in or API key. */
export interface TypedCredentials {
  /** Returns the time, which is later than that of everything known before. */
  keep(credential: Credential, server: PromptingServer, typed: TypedCredential): number;
  /** Undefined when nothing was typed, it has expired, or the server was edited since. */
  of(credential: Credential, server: PromptingServer): TypedCredential | undefined;
  /** Returns the time at which the forgotten credentials were typed. */
  forget(credential: Credential, server: PromptingServer): number | undefined;
  /** When the credentials were typed that are known or were forgotten here; 0 for none. */
  typedAt(credential: Credential, server: PromptingServer): number;
  /** Keeps credentials that another instance has handed over, unless they are older than what is known or forgotten here. */
  take(credential: Credential, server: PromptingServer, handed: HandedCredential): void;
  /** For another instance. Forgets those not newer than `newer_than_ms`: that instance knows that they are out of date. */
  handOver(
    credential: Credential,
    server: PromptingServer,
    newer_than_ms: number,
  ): HandedCredential | undefined;
  /** The sign-ins and keys with typed credentials. */
  owners(): readonly Credential[];
  forgetOwner(owner: Credential): void;
}

interface Kept {
  readonly owner: Credential;
  /** Undefined once forgotten. */
  readonly typed: TypedCredential | undefined;
  readonly typed_at_ms: number;
  readonly revision: string;
}

export function createTypedCredentials(clock: Clock): TypedCredentials {
  const kept = createKept(clock);
  const found = (credential: Credential, server: PromptingServer): Kept | undefined => {
    const one = kept.get(credential, server);
    return one?.revision === server.updated_at ? one : undefined;
  };
  const typedAt = (credential: Credential, server: PromptingServer) =>
    kept.get(credential, server)?.typed_at_ms ?? 0;

  function put(
    owner: Credential,
    server: PromptingServer,
    typed: TypedCredential | undefined,
    typed_at_ms: number,
  ): void {
    kept.put(server, { owner, typed, typed_at_ms, revision: server.updated_at });
  }

  return {
    typedAt,

    keep(credential, server, typed) {
      const typed_at_ms = Math.max(clock.now().getTime(), typedAt(credential, server) + 1);
      put(credential, server, typed, typed_at_ms);
      return typed_at_ms;
    },

    of(credential, server) {
      const one = found(credential, server);
      if (one) put(credential, server, one.typed, one.typed_at_ms); // used now
      return one?.typed;
    },

    forget(credential, server) {
      const one = kept.get(credential, server);
      if (!one?.typed) return undefined;
      put(credential, server, undefined, one.typed_at_ms);
      return one.typed_at_ms;
    },

    take(credential, server, { typed_at_ms, username, password }) {
      if (typed_at_ms > typedAt(credential, server))
        put(credential, server, { username, password }, typed_at_ms);
    },

    handOver(credential, server, newer_than_ms) {
      const one = found(credential, server);
      if (!one) return undefined;
      const is_newer = one.typed_at_ms > newer_than_ms;
      const typed = is_newer ? one.typed : undefined;
      put(credential, server, typed, Math.max(one.typed_at_ms, newer_than_ms));
      return typed && { ...typed, typed_at_ms: one.typed_at_ms };
    },

    owners: () => [...kept.all()].filter(({ typed }) => typed).map(({ owner }) => owner),
    forgetOwner: (owner) => kept.removeOf(owner),
  };
}

/** Least recently used first; what has expired is not found. */
function createKept(clock: Clock) {
  const kept = new Map<string, Kept & { readonly used_at_ms: number }>();
  const isOver = (used_at_ms: number) => clock.elapsed_ms() - used_at_ms >= KEPT_MS;

  return {
    all: () => kept.values(),

    get(owner: Credential, server: PromptingServer): Kept | undefined {
      const one = kept.get(keyOf(owner, server));
      return one && !isOver(one.used_at_ms) ? one : undefined;
    },

    put(server: PromptingServer, one: Kept): void {
      const key = keyOf(one.owner, server);
      kept.delete(key);
      kept.set(key, { ...one, used_at_ms: clock.elapsed_ms() });
      for (const [old, { used_at_ms }] of kept) {
        if (!isOver(used_at_ms) && kept.size <= MOST) break;
        kept.delete(old);
      }
    },

    removeOf(owner: Credential): void {
      for (const [key, one] of kept) if (isSameCredential(one.owner, owner)) kept.delete(key);
    },
  };
}

/** Identifies the owner, also of the connections made with it. */
export function ownerOf({ kind, id }: Credential): string {
  return `${kind}:${id}`;
}

export function keyOf(credential: Credential, { id }: PromptingServer): string {
  return `${ownerOf(credential)}:${id}`;
}
