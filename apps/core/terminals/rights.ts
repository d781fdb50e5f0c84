import { createStanding } from '../accounts/standing.ts';
import { Fault } from '../errors.ts';
import type { After } from '../lib/timers.ts';
import { isSameCredential } from '../model/caller.ts';
import type { ServerRow } from '../model/server.ts';
import type { UserRow } from '../model/user.ts';
import { canReach } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { SessionRegistry, Terminal } from './live/registry.ts';

// What another instance changes must be felt here within 2 s, the statements included.
const WATCH_INTERVAL_MS = 1000;

type Matches = (terminal: Terminal) => boolean;

/** Holds the terminals and transfers of this process to what their owners and servers have become. */
export interface TerminalRights {
  /** Ends those, of the ones that match, whose owner may not have them any more. */
  recheck(matches: Matches): Promise<void>;
  /** The same for one server that has just changed, and ends those still being dialled to the old record. */
  recheckServer(server: ServerRow): Promise<void>;
  /** Again and again, for what other instances change; the returned function stops it. */
  watch(after: After, background: Background): () => void;
}

interface Deps {
  readonly registry: SessionRegistry;
  readonly repositories: Pick<Repositories, 'web_sessions' | 'api_keys' | 'servers'>;
  readonly clock: Clock;
}

export function createTerminalRights({ registry, repositories, clock }: Deps): TerminalRights {
  const standingOf = createStanding({ repositories, clock });

  async function recheck(matches: Matches): Promise<void> {
    const terminals = registry.all().filter(matches);
    if (terminals.length === 0) return;
    // Whoever resumes one meanwhile brings another credential, which the next round judges.
    const judged = new Map(terminals.map((terminal) => [terminal, terminal.owner.credential]));
    // As it is in the database now; one that does not answer takes nobody's rights away.
    const standing = await standingOf([...judged.values()]);
    const server_ids = new Set(terminals.flatMap(({ server }) => server.id ?? []));
    const rows = new Map((await repositories.servers.byIds([...server_ids])).map((row) => [row.id, row]));
    for (const [terminal, credential] of judged) {
      if (!isSameCredential(terminal.owner.credential, credential)) continue;
      const owner = standing.ownerOf(credential);
      const why = complaint(terminal, owner, rows.get(terminal.server.id ?? 0));
      if (why) terminal.end(new Fault('terminal_ended', why));
    }
  }

  return {
    recheck,

    async recheckServer({ id }) {
      registry.endWhere(
        ({ live, server }) => server.id === id && !live,
        'The server was changed while it was being connected to',
      );
      await recheck(({ server }) => server.id === id);
    },

    watch(after, background) {
      let cancel = after(WATCH_INTERVAL_MS, round);
      let is_stopped = false;
      function round(): void {
        const next = () => {
          if (!is_stopped) cancel = after(WATCH_INTERVAL_MS, round);
        };
        background.run('recheck terminals', recheck(() => true).finally(next));
      }
      return () => {
        is_stopped = true;
        cancel();
      };
    },
  };
}

function complaint(
  { use, server: begun }: Terminal,
  owner: UserRow | undefined,
  server: ServerRow | undefined,
): string | undefined {
  if (!owner) return 'Signed out';
  if (owner.must_change_password) return 'The password must be changed first';
  if (use === 'watch') return owner.is_admin ? undefined : 'Only administrators look on';
  // A guest needs no right to the server, and a quick connection has none.
  if (use === 'join' || begun.id === null) return undefined;
  if (!server) return 'The server was deleted';
  if (!canReach(owner, server)) return 'This server is not open to you any more';
  if (use === 'transfer' && !server.sftp_enabled) return 'SFTP was disabled for this server';
  if (use === 'transfer') {
    // Read-only, allowed directories, address, key: on every instance it ends as its connection does on the one that edits.
    const is_same = begun.revision === undefined || begun.revision === server.updated_at;
    return is_same ? undefined : 'The server was changed';
  }
  return server.ssh_enabled ? undefined : 'SSH was disabled for this server';
}
