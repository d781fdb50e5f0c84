import { type CredentialOwners, createCredentialOwners } from '../activities/credential-owners.ts';
import { Fault } from '../errors.ts';
import type { Changes } from '../instances/changes.ts';
import type { Caller, Credential } from '../model/accounts/caller.ts';
import { type ServerStatuses, toServerStatus } from '../model/hosts/server-status.ts';
import { assertMay, credentialOf } from '../policy/account.ts';
import { canReach, visibleGroups } from '../policy/server-access.ts';
import type { VisibleStatusRow } from '../ports/repositories/monitor.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';

const EVERY_MS = 1000;
const CALM_MS = 15_000;
const MOST_OF_ONE_USER = 20;
const LONGEST_MS = 15 * 60_000; // the client reconnects, and its sign-in is checked again
const LAST_REVISION = 2 ** 31 - 1;

export interface StatusStream {
  /** Waits for statuses that this caller has not received; undefined when the stream ends. */
  next(): Promise<ServerStatuses | undefined>;
  stop(): void;
}

/** Pushes statuses to subscribers. Every instance follows the database, so all of them can serve streams. */
export interface ServerEvents {
  /** Sends all statuses the caller may see, then changes. Throws `too_many_streams` above the limit per user. */
  subscribe(caller: Caller): Promise<StatusStream>;
  /** Ends every stream. */
  close(): void;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'server_statuses' | 'web_sessions' | 'api_keys'>;
  readonly changes: Pick<Changes, 'follow'>;
  readonly clock: Clock;
  readonly background: Background;
}

type Rights = Pick<Caller, 'is_admin' | 'allowed_groups'>;

interface Subscriber {
  readonly user_id: number;
  readonly credential: Credential;
  rights: Rights;
  /** Only the latest status of each server, which bounds the memory for a client that does not read. */
  readonly pending: Map<number, VisibleStatusRow>;
  /** Send a complete snapshot. */
  stale: boolean;
  /** Send a snapshot even when it is empty. */
  due: boolean;
  over: boolean;
  wake(): void;
}

export function createServerEvents({ repositories, changes, clock, background }: Deps): ServerEvents {
  const { server_statuses } = repositories;
  const credentialOwnersOf = createCredentialOwners({ repositories, clock });
  const subscribers = new Set<Subscriber>();
  let revision: number | undefined;
  let stopRounds: (() => void) | undefined;
  let is_closed = false;

  function end(subscriber: Subscriber): void {
    subscriber.over = true;
    subscribers.delete(subscriber);
    subscriber.wake();
    if (subscribers.size > 0) return;
    stopRounds?.();
    stopRounds = undefined;
    revision = undefined;
  }

  function tell(subscriber: Subscriber): void {
    subscriber.due = true;
    subscriber.wake();
  }

  async function tellAll(subscriber: Subscriber): Promise<void> {
    const { rights } = subscriber;
    const rows = await server_statuses.list(visibleGroups(rights));
    if (subscriber.rights !== rights) return; // these are servers that the subscriber may no longer see
    for (const row of rows) subscriber.pending.set(row.server_id, row);
    subscriber.stale = false;
    tell(subscriber);
  }

  /** Servers that a subscriber may no longer see are left out. */
  function holdToRights(present: readonly Subscriber[], credential_owners: CredentialOwners): void {
    for (const subscriber of present) {
      const owner = credential_owners.ownerOf(subscriber.credential);
      if (!owner || owner.must_change_password) end(subscriber);
      else if (!isSame(subscriber.rights, owner)) {
        subscriber.rights = owner;
        subscriber.pending.clear();
        subscriber.stale = true;
      }
    }
  }

  async function look(): Promise<void> {
    const present = [...subscribers]; // subscribers that join during the query are not part of it
    holdToRights(present, await credentialOwnersOf(present.map(({ credential }) => credential)));
    for (const subscriber of subscribers) if (subscriber.stale) await tellAll(subscriber);
    if (revision === undefined) return; // the first subscriber starts the polling
    const news = await server_statuses.since(revision);
    if (revision === undefined) return; // the last subscriber left during the query
    revision = news.revision;
    for (const subscriber of subscribers) {
      const own = news.rows.filter((row) => canReach(subscriber.rights, row));
      for (const row of own) subscriber.pending.set(row.server_id, row);
      if (own.length > 0) tell(subscriber);
    }
  }

  function startRounds(): void {
    stopRounds = changes.follow({
      topics: ['statuses', 'rights'],
      every_ms: EVERY_MS,
      calm_ms: CALM_MS,
      look: () => {
        const looked = look();
        background.run('look for new statuses', looked);
        return looked;
      },
    });
  }

  return {
    async subscribe(caller) {
      assertMay(caller, 'read');
      if (is_closed) throw new Fault('shutting_down');
      const subscriber = toSubscriber(caller);
      const own = [...subscribers].filter(({ user_id }) => user_id === subscriber.user_id);
      if (own.length >= MOST_OF_ONE_USER) throw new Fault('too_many_streams');
      subscribers.add(subscriber);
      if (!stopRounds) startRounds();
      try {
        const last = await server_statuses.since(LAST_REVISION);
        revision ??= last.revision; // so that a second subscriber at the same time does not make the first miss a change
        await tellAll(subscriber);
      } catch (error) {
        end(subscriber);
        throw error;
      }
      const cancel = clock.after(LONGEST_MS, () => end(subscriber));
      return {
        next: () => nextOf(subscriber),
        stop() {
          cancel();
          end(subscriber);
        },
      };
    },

    close() {
      is_closed = true;
      for (const subscriber of [...subscribers]) end(subscriber);
    },
  };
}

function toSubscriber(caller: Caller): Subscriber {
  return {
    user_id: caller.user_id,
    credential: credentialOf(caller),
    rights: caller,
    pending: new Map(),
    stale: true,
    due: false,
    over: false,
    wake: () => undefined,
  };
}

async function nextOf(subscriber: Subscriber): Promise<ServerStatuses | undefined> {
  if (!subscriber.due && !subscriber.over) {
    await new Promise<void>((resolve) => {
      subscriber.wake = resolve;
    });
  }
  if (subscriber.over) return undefined;
  const rows = [...subscriber.pending.values()];
  subscriber.due = false;
  subscriber.pending.clear();
  return Object.fromEntries(rows.map((row) => [String(row.server_id), toServerStatus(row)]));
}

function isSame(before: Rights, now: Rights): boolean {
  return (
    before.is_admin === now.is_admin &&
    [...before.allowed_groups].sort().join('\n') === [...now.allowed_groups].sort().join('\n')
  );
}
