import { type AuditTrail, serverLabel } from '../audit/trail.ts';
import type { AuditRow } from '../model/audit/audit.ts';
import type { TerminalSessionRow } from '../model/terminal.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background } from '../ports/runtime.ts';
import { quickLabel } from './quick-connects.ts';

const MOST_ENTRIES = 5000;
const ROUNDING_MS = 501; // the entry of an end has whole seconds

interface Deps {
  readonly repositories: {
    readonly terminal_sessions: Pick<Repositories['terminal_sessions'], 'removeOrphans'>;
    readonly audit: Pick<Repositories['audit'], 'following'>;
  };
  readonly trail: Pick<AuditTrail, 'record'>;
  readonly background: Background;
  readonly run_id: string;
}

/** Removes the terminals of instances that have ended, and records the end of each that has no entry yet. */
export function createOrphans({ repositories, trail, background, run_id }: Deps) {
  const { terminal_sessions, audit } = repositories;

  /** An instance that was killed while the database was away has left entries in a file, which are stored by now. */
  async function unrecorded(rows: readonly TerminalSessionRow[]): Promise<TerminalSessionRow[]> {
    const ends = new Map<string, AuditRow[]>();
    for (const username of new Set(rows.map((row) => row.username))) {
      const starts = rows
        .filter((row) => row.username === username)
        .map(({ started_at }) => started_at ?? '');
      const filter = { username, action: 'terminal_close', since: starts.sort()[0] };
      ends.set(username, await audit.following(filter, undefined, MOST_ENTRIES));
    }
    return rows.filter((row) => !takeEnd(ends.get(row.username) ?? [], row));
  }

  async function end(row: TerminalSessionRow): Promise<void> {
    const { user_id, username } = row;
    await trail.record(
      { user_id, username, ip_address: '', via: null },
      'terminal_close',
      `${labelOf(row)} (instance_ended)`,
    );
  }

  return async (): Promise<void> => {
    const rows = await terminal_sessions.removeOrphans(run_id);
    const cut = rows.filter(({ started_at, over }) => started_at !== null && !over);
    if (cut.length === 0) return;
    const owed = await unrecorded(cut).catch(() => cut); // better twice than never: the rows are gone
    for (const row of owed) background.run('audit the end of a terminal', end(row));
  };
}

/** Takes the entry of this terminal's end out of the list; false when there is none. */
function takeEnd(entries: AuditRow[], row: TerminalSessionRow): boolean {
  const index = entries.findIndex(({ user_id, detail, created_at }) => {
    const label = `${labelOf(row)} after `;
    if (user_id !== row.user_id || !detail.startsWith(label)) return false;
    const started_ms = Date.parse(created_at) - Number.parseInt(detail.slice(label.length), 10) * 1000;
    return Math.abs(started_ms - Date.parse(row.started_at ?? '')) <= ROUNDING_MS;
  });
  if (index >= 0) entries.splice(index, 1);
  return index >= 0;
}

/** The name of the terminal in its other entries. */
function labelOf({ server_id, server_name }: TerminalSessionRow): string {
  return server_id === null ? quickLabel(server_name) : serverLabel({ id: server_id, name: server_name });
}
