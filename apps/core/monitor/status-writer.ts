import type { Bell } from '../lib/concurrency/bell.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { ServerStatusRow } from '../model/hosts/server-status.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import { statusEvent } from '../webhooks/events.ts';

const MOST_AT_ONCE = 100;
const LONGEST_WAIT_MS = 500;

/** Stores statuses in batches: one statement each would overload a small database. */
export interface StatusWriter {
  /** Queues the status of a server as it was when checked; skipped if the server has been edited since. */
  write(server: ServerRow, status: ServerStatusRow): void;
  /** Resolves when everything has been stored or has failed. */
  finish(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers' | 'server_statuses'>;
  readonly bell: Pick<Bell, 'ring'>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Finding {
  readonly server: ServerRow;
  readonly status: ServerStatusRow;
}

export function createStatusWriter({ repositories, bell, clock, log }: Deps): StatusWriter {
  const { servers, server_statuses } = repositories;
  let waiting: Finding[] = [];
  let cancel: (() => void) | undefined;
  let saving = Promise.resolve();

  function flush(): void {
    cancel?.();
    cancel = undefined;
    const findings = waiting;
    waiting = [];
    if (findings.length > 0) saving = saving.then(() => store(findings));
  }

  /** The next round recreates statuses lost here. */
  async function store(findings: readonly Finding[]): Promise<void> {
    try {
      const true_ones = await stillTrue(findings);
      const events = true_ones.flatMap(({ server, status }) => statusEvent(server, status) ?? []);
      await server_statuses.save(
        true_ones.map(({ status }) => status),
        events,
      );
      if (events.length > 0) bell.ring();
    } catch (err) {
      log.warn({ err, servers: findings.length }, 'Statuses of servers could not be stored');
    }
  }

  async function stillTrue(findings: readonly Finding[]): Promise<Finding[]> {
    const rows = await servers.byIds(findings.map(({ server }) => server.id));
    const revisions = new Map(rows.map(({ id, updated_at }) => [id, updated_at]));
    return findings.filter(({ server }) => revisions.get(server.id) === server.updated_at);
  }

  return {
    write(server, status) {
      waiting.push({ server, status });
      if (waiting.length >= MOST_AT_ONCE) flush();
      else cancel ??= clock.after(LONGEST_WAIT_MS, flush);
    },
    async finish() {
      flush();
      await saving;
    },
  };
}
