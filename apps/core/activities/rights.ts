import { Fault } from '../errors.ts';
import type { Changes } from '../instances/changes.ts';
import { isSameCredential } from '../model/accounts/caller.ts';
import type { UserRow } from '../model/accounts/user.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { canReach } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { Activity } from './activity.ts';
import { createCredentialOwners } from './credential-owners.ts';
import { createExpiries, type Expiries } from './expiries.ts';
import type { ActivityRegistry } from './registry.ts';

// Changes by another instance must take effect here within 2 s, including the queries.
const EVERY_MS = 1000;
const CALM_MS = 5000;

const CHANGED_MEANWHILE = 'The server was changed while it was being connected to';

type Matches = (activity: Activity) => boolean;

/** Ends terminals and transfers of this process, and embedded sessions, when their users or servers lose the right to them. */
export interface ActivityRights {
  /** Checks everything that matches and ends what is no longer allowed. */
  recheck(matches: Matches): Promise<void>;
  /** Checks everything, after a change of many users and servers. */
  recheckAll(): Promise<void>;
  /** Checks one user whose rights have just changed. */
  recheckUser(user_id: number): Promise<void>;
  /** Checks one server that has just changed, and ends connections still being opened to the old record. */
  recheckServer(server: ServerRow): Promise<void>;
  /** Checks for changes by other instances; the returned function stops it. */
  watch(changes: Pick<Changes, 'follow'>, background: Background): () => void;
}

interface Deps {
  readonly activities: ActivityRegistry;
  readonly repositories: Pick<Repositories, 'web_sessions' | 'api_keys' | 'servers'>;
  readonly clock: Clock;
}

export function createActivityRights({ activities, repositories, clock }: Deps): ActivityRights {
  const credentialOwnersOf = createCredentialOwners({ repositories, clock });
  let expiries: Expiries | undefined;

  async function recheck(matches: Matches): Promise<void> {
    const found = activities.all().filter(matches);
    if (found.length === 0) return;
    // A resume during the check brings another credential, which the next check judges.
    const judged = new Map(found.map((activity) => [activity, activity.owner.credential]));
    // Read from the database; when it does not answer, nobody loses rights.
    const credential_owners = await credentialOwnersOf([...judged.values()]);
    const server_ids = new Set(found.flatMap(({ server }) => server.id ?? []));
    const rows = new Map((await repositories.servers.byIds([...server_ids])).map((row) => [row.id, row]));
    for (const credential of judged.values()) expiries?.expect(credential_owners.expiryOf(credential));
    for (const [activity, credential] of judged) {
      if (!isSameCredential(activity.owner.credential, credential)) continue;
      const owner = credential_owners.ownerOf(credential);
      const why = reasonToEnd(activity, owner, rows.get(activity.server.id ?? 0));
      if (why) activity.end(new Fault('terminal_ended', why));
    }
  }

  // Now, because nobody may ask for them before the right is given back.
  const expire = (of: { user_id?: number; server_id?: number }) =>
    repositories.web_sessions.expireUnreachable(of, clock.now().toISOString());

  return {
    recheck,

    async recheckAll() {
      await Promise.all([expire({}), recheck(() => true)]);
    },

    async recheckUser(user_id) {
      await Promise.all([expire({ user_id }), recheck(({ owner }) => owner.user_id === user_id)]);
    },

    async recheckServer({ id }) {
      activities.endWhere(({ live, server }) => server.id === id && !live, CHANGED_MEANWHILE);
      await Promise.all([expire({ server_id: id }), recheck(({ server }) => server.id === id)]);
    },

    watch(changes, background) {
      const check = () => {
        const checked = recheck(() => true);
        background.run('recheck terminals', checked);
        return checked;
      };
      const expected = createExpiries(clock, CALM_MS, () => void check());
      expiries = expected;
      activities.onAdd(({ owner }) => expected.expect(owner.credential.expires_at));
      const unfollow = changes.follow({
        topics: ['rights'],
        every_ms: EVERY_MS,
        calm_ms: CALM_MS,
        look: check,
      });
      return () => {
        unfollow();
        expected.stop();
      };
    },
  };
}

function reasonToEnd(
  { use, live, server: begun }: Activity,
  owner: UserRow | undefined,
  server: ServerRow | undefined,
): string | undefined {
  if (!owner) return 'Signed out';
  if (owner.must_change_password) return 'The password must be changed first';
  if (use === 'watch') return owner.is_admin ? undefined : 'Only administrators may watch';
  if (use === 'search_all' && !owner.is_admin) return 'Only administrators may search all recordings';
  // A guest needs no access to the server, and quick connect and searches have no server.
  if (use === 'join' || begun.id === null) return undefined;
  if (!server) return 'The server was deleted';
  if (!canReach(owner, server)) return 'You no longer have access to this server';
  if (use === 'transfer' && !server.sftp_enabled) return 'SFTP was disabled for this server';
  // On every instance, as on the instance that makes the edit.
  const is_changed = begun.revision !== undefined && begun.revision !== server.updated_at;
  if (!live && is_changed) return CHANGED_MEANWHILE;
  if (use === 'transfer') return is_changed ? 'The server was changed' : undefined;
  if (use === 'chat') return server.agent_enabled ? undefined : 'The agent was disabled for this server';
  return server.ssh_enabled ? undefined : 'SSH was disabled for this server';
}
