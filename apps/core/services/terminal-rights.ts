import { Fault } from '../errors.ts';
import type { After } from '../lib/timers.ts';
import type { ServerRow } from '../model/server.ts';
import type { UserRow } from '../model/user.ts';
import { canReach } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { SessionRegistry, Terminal } from '../terminal/session-registry.ts';

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

interface Standing {
  ownerOf(terminal: Terminal): UserRow | undefined;
  serverOf(terminal: Terminal): ServerRow | undefined;
}

export function createTerminalRights({ registry, repositories, clock }: Deps): TerminalRights {
  const { web_sessions, api_keys, servers } = repositories;

  /** As it is in the database now; one that does not answer takes nobody's rights away. */
  async function standingOf(terminals: readonly Terminal[]): Promise<Standing> {
    const credentials = terminals.map(({ owner }) => owner.credential);
    const session_ids = credentials.flatMap((one) => (one.kind === 'session' ? [one.id] : []));
    const key_ids = credentials.flatMap((one) => (one.kind === 'api_key' ? [one.id] : []));
    const server_ids = new Set(terminals.map(({ server }) => server.id));
    const sessions = byId(session_ids.length > 0 ? await web_sessions.standing(distinct(session_ids)) : []);
    const now = clock.now().toISOString();
    const keys = byId(key_ids.length > 0 ? await api_keys.standing(distinct(key_ids), now) : []);
    const rows = byId(await servers.byIds([...server_ids]));
    return {
      ownerOf: ({ owner: { credential } }) =>
        (credential.kind === 'session' ? sessions.get(credential.id) : keys.get(credential.id))?.user,
      serverOf: ({ server }) => rows.get(server.id),
    };
  }

  async function recheck(matches: Matches): Promise<void> {
    const terminals = registry.all().filter(matches);
    if (terminals.length === 0) return;
    const standing = await standingOf(terminals);
    for (const terminal of terminals) {
      const why = complaint(terminal, standing.ownerOf(terminal), standing.serverOf(terminal));
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
  { use }: Terminal,
  owner: UserRow | undefined,
  server: ServerRow | undefined,
): string | undefined {
  if (!owner) return 'Signed out';
  if (owner.must_change_password) return 'The password must be changed first';
  if (!server) return 'The server was deleted';
  if (!canReach(owner, server)) return 'This server is not open to you any more';
  if (use === 'transfer') return server.sftp_enabled ? undefined : 'SFTP was disabled for this server';
  return server.ssh_enabled ? undefined : 'SSH was disabled for this server';
}

function byId<Row extends { readonly id: string | number }>(rows: readonly Row[]): Map<Row['id'], Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
