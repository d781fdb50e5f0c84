import { createParser } from 'eventsource-parser';
import { vi } from 'vitest';
import type {
  ServerStatus,
  ServerStatusRow,
  ServerStatuses as Statuses,
} from '#core/model/hosts/server-status.ts';
import { uncheckedRow } from '#core/model/hosts/server-status.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Actor, TestGateway } from '../gateway/gateway.ts';

const SEEN_WITHIN_MS = 60_000;
const AGAIN_MS = 50;

export const ONLINE = {
  status: 'online',
  last_checked: '2026-01-02T03:04:05.678Z',
  offline_since: null,
  latency_ms: 12,
  error: null,
  error_code: null,
} as const satisfies ServerStatus;

export const OFFLINE = {
  ...ONLINE,
  status: 'offline',
  latency_ms: null,
  error: 'Cannot reach the host',
  error_code: 'host_unreachable',
} as const satisfies ServerStatus;

/** As the monitor of some instance stores it. */
export function saveStatus({ store }: TestGateway, server_id: number, status: ServerStatus): Promise<void> {
  const row: ServerStatusRow = {
    ...uncheckedRow(server_id),
    ...status,
    host_key_verified: status.host_key_verified ?? null,
  };
  return createRepositories(store).server_statuses.save([row]);
}

export async function statusOf(actor: Actor, id: number): Promise<ServerStatus> {
  const { status, body } = await actor.call<ServerStatus>('GET', `/api/servers/${id}/status`);
  if (status !== 200) throw new Error(`No status: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Once the monitor has found what is looked for. */
export function untilStatus(
  actor: Actor,
  id: number,
  isIt: (status: ServerStatus) => boolean,
): Promise<ServerStatus> {
  return vi.waitFor(
    async () => {
      const status = await statusOf(actor, id);
      if (!isIt(status)) throw new Error(`Still ${JSON.stringify(status)}`);
      return status;
    },
    { timeout: SEEN_WITHIN_MS, interval: AGAIN_MS },
  );
}

export const isChecked = ({ last_checked }: ServerStatus): boolean => last_checked !== null;
export const isOnline = ({ status }: ServerStatus): boolean => status === 'online';
export const isOffline = ({ status }: ServerStatus): boolean => status === 'offline';

/** Resolves when a server was looked at this many further times. */
export async function untilRounds(actor: Actor, id: number, rounds: number): Promise<void> {
  let { last_checked } = await statusOf(actor, id);
  for (let round = 0; round < rounds; round += 1) {
    const before = last_checked;
    ({ last_checked } = await untilStatus(actor, id, (status) => status.last_checked !== before));
  }
}

export interface StatusStream {
  /** What the next event holds; undefined at the end of the stream. */
  next(): Promise<Statuses | undefined>;
  /** Passes over events until one is as it should be. */
  until(isIt: (statuses: Statuses) => boolean): Promise<Statuses>;
  /** Names of the events that came, and the comments. */
  readonly seen: string[];
  close(): void;
}

/** Listens to `GET /api/servers/events`. */
export async function openEvents(actor: Actor): Promise<StatusStream> {
  const gone = new AbortController();
  const response = await actor.fetch('/api/servers/events', { signal: gone.signal });
  if (!response.ok || !response.body) throw new Error(`No events: ${response.status}`);
  const seen: string[] = [];
  const events = readStatuses(response.body, seen);
  const next = async () => (await events.next()).value || undefined;
  return {
    next,
    seen,
    async until(isIt) {
      for (;;) {
        const statuses = await next();
        if (!statuses) throw new Error('The stream ended before');
        if (isIt(statuses)) return statuses;
      }
    },
    close: () => gone.abort(),
  };
}

async function* readStatuses(
  body: ReadableStream<Uint8Array>,
  seen: string[],
): AsyncGenerator<Statuses, void> {
  const told: Statuses[] = [];
  const parser = createParser({
    onComment: (comment) => seen.push(comment),
    onEvent({ event = '', data }) {
      seen.push(event);
      told.push(JSON.parse(data));
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* told.splice(0);
  }
}
