import type { Tickets } from '../accounts/tickets.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { endable } from '../lib/bytes/endable.ts';
import { createRecent } from '../lib/time/recent.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { Ticket } from '../model/accounts/ticket.ts';
import {
  type Recording,
  type RecordingFilter,
  type RecordingRow,
  type RecordingVerdict,
  toRecording,
} from '../model/recording.ts';
import { assertMay } from '../policy/account.ts';
import type { Action } from '../policy/actions.ts';
import { assertRecording, seesAllRecordings } from '../policy/recording-access.ts';
import type { CastRange, Casts } from '../ports/casts.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { describeRecording } from './entries.ts';
import { homeUnreachable, type RecordingHome, type RecordingHomes } from './homes.ts';
import { verdictOn } from './verdict.ts';

const SAME_VIEW_MS = 10 * 60_000;
const TEXTS_AT_ONCE = 8;
const TEXTS_OF_ONE_USER = 2;
const TEXT_UNREAD_MS = 120_000; // each buffers 1 MiB or more for a slow reader

/** A cast to send. */
export interface CastFile {
  readonly name: string;
  readonly size: number;
  /** Changes with the content. */
  readonly etag: string;
  readonly modified: string;
  stream(range?: CastRange): ReadableStream<Uint8Array>;
}

export type Elsewhere = Extract<RecordingHome, { kind: 'elsewhere' }>;

export type CastUse = 'cast' | 'download';

/** What is asked of the instance that has the file. */
type RelayedAction = Extract<Action, 'read' | 'delete_recording'>;

/** The caller's own recordings; all of them for administrators. */
export interface Recordings {
  list(
    caller: Caller,
    filter: RecordingFilter,
    paging: { limit: number; offset: number },
  ): Promise<{ recordings: Recording[]; total: number }>;
  get(caller: Caller, id: number): Promise<Recording>;
  /** The instance to relay to; undefined when this one can do it. */
  elsewhere(caller: Caller, id: number, action?: RelayedAction): Promise<Elsewhere | undefined>;
  /** Without an instance that has the file, the file is deleted once one runs. */
  remove(caller: Caller, id: number): Promise<void>;
  ticket(caller: Caller, id: number): Promise<Ticket>;
  cast(caller: Caller, id: number, use: CastUse): Promise<CastFile>;
  text(caller: Caller, id: number): Promise<{ name: string; stream: ReadableStream<Uint8Array> }>;
  /** What the player page needs, with a ticket for the cast. A ticket that opened the page is passed on, not renewed. */
  replay(caller: Caller, id: number, opened_with?: string): Promise<{ recording: Recording; ticket: string }>;
  verify(caller: Caller, id: number): Promise<RecordingVerdict>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'recordings' | 'audit'>;
  readonly casts: Casts;
  readonly homes: RecordingHomes;
  readonly tickets: Tickets;
  readonly trail: AuditTrail;
  readonly clock: Clock;
  /** Visitors of the demo share one user but must not see each other's recordings. */
  readonly demo_mode: boolean;
}

export function createRecordings(deps: Deps): Recordings {
  const { repositories, casts, homes, tickets, trail, clock, demo_mode } = deps;
  const { recordings } = repositories;
  const recordView = createViewRecord(deps);
  const texts = createTexts(clock);
  const reach = async (caller: Caller, action: Action, id: number) => {
    assertMay(caller, action);
    return assertRecording(caller, demo_mode ? undefined : await recordings.byId(id));
  };
  /** Requires the file to be in this instance's directory. */
  async function reachFile(caller: Caller, id: number): Promise<RecordingRow> {
    const row = await reach(caller, 'read', id);
    if ((await homes.of(row)).kind !== 'here') throw homeUnreachable();
    return row;
  }

  async function view(caller: Caller, id: number, kind: View) {
    const row = await reachFile(caller, id);
    const size = await casts.size(row.file_path); // fails now if the file is missing; the stream would fail too late
    await recordView(caller, row, kind);
    return { row, size };
  }

  async function removeLater(caller: Caller, row: RecordingRow): Promise<void> {
    const is_hidden = await recordings.removeLater(row.id, clock.now().toISOString());
    if (!is_hidden) throw new Fault('recording_in_progress');
    await trail.record(caller, 'recording_delete', `${describeRecording(row)}: ${FILE_LATER}`);
  }

  return {
    async list(caller, asked, paging) {
      assertMay(caller, 'read');
      if (demo_mode) return { recordings: [], total: 0 };
      const user_id = seesAllRecordings(caller) ? undefined : caller.user_id;
      const filter = { ...asked, user_id };
      const rows = await recordings.page(filter, paging);
      return { recordings: rows.map(toRecording), total: await recordings.count(filter) };
    },

    get: async (caller, id) => toRecording(await reach(caller, 'read', id)),

    async elsewhere(caller, id, action = 'read') {
      const home = await homes.of(await reach(caller, action, id));
      return home.kind === 'elsewhere' ? home : undefined;
    },

    async remove(caller, id) {
      const row = await reach(caller, 'delete_recording', id);
      const { kind } = await homes.of(row);
      if (kind === 'elsewhere') throw homeUnreachable();
      if (kind === 'away') return removeLater(caller, row);
      if (row.status === 'recording') throw new Fault('recording_in_progress');
      await casts.remove(row.file_path); // first: without its row the file could not be found again
      if (!(await recordings.remove(id))) throw new Fault('recording_not_found');
      await trail.record(caller, 'recording_delete', describeRecording(row));
    },

    async ticket(caller, id) {
      return tickets.forRecording(caller, (await reach(caller, 'get_recording_ticket', id)).id);
    },

    async cast(caller, id, use) {
      const { row, size } = await view(caller, id, use);
      return {
        name: `${baseName(row)}.cast`,
        size,
        etag: `"${size.toString(36)}-${row.sha256?.slice(0, 16) ?? 'open'}"`,
        modified: row.ended_at ?? row.started_at,
        stream: (range) => casts.read(row.file_path, range, size),
      };
    },

    async text(caller, id) {
      const { row } = await view(caller, id, 'text');
      return { name: `${baseName(row)}.txt`, stream: texts(caller, () => casts.text(row.file_path)) };
    },

    async replay(caller, id, opened_with) {
      const { row } = await view(caller, id, 'play');
      const ticket = opened_with ?? (await tickets.forRecording(caller, row.id)).ticket;
      return { recording: toRecording(row), ticket };
    },

    verify: async (caller, id) => verdictOn(await reachFile(caller, id), deps),
  };
}

/** Each holds a terminal with scrollback in memory, so there are few at once and stalled readers are dropped. */
function createTexts({ after }: Pick<Clock, 'after'>) {
  const under_way: number[] = []; // users
  return ({ user_id }: Caller, open: () => ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
    if (under_way.filter((one) => one === user_id).length >= TEXTS_OF_ONE_USER) {
      throw new Fault('too_many_texts', 'Two texts at a time', { retry_after: 5 });
    }
    if (under_way.length >= TEXTS_AT_ONCE) {
      throw new Fault('too_many_texts', undefined, { retry_after: 5 });
    }
    under_way.push(user_id);
    const onOver = () => void under_way.splice(under_way.indexOf(user_id), 1);
    const unread = { after, ms: TEXT_UNREAD_MS, error: () => new Fault('download_unread') };
    return endable(open(), { onOver, unread }).stream;
  };
}

const FILE_LATER = 'its instance deletes the file when it runs again';

const VIEWS = {
  play: 'played',
  cast: 'read',
  text: 'read as text',
  download: 'downloaded',
} as const;

type View = keyof typeof VIEWS;

/** Players send many range requests; only the first of a view is audited. */
function createViewRecord({ trail, clock }: Pick<Deps, 'trail' | 'clock'>) {
  const recent = createRecent(clock, SAME_VIEW_MS);
  return async (caller: Caller, row: RecordingRow, kind: View): Promise<void> => {
    const keyOf = (seen: View) => JSON.stringify([caller.user_id, caller.ip_address, row.id, seen]);
    if (recent.has(keyOf(kind))) return;
    await trail.record(caller, 'recording_view', `${describeRecording(row)}: ${VIEWS[kind]}`, {
      retry: false,
    });
    recent.add(keyOf(kind));
    if (kind === 'play') recent.add(keyOf('cast'));
  };
}

/** Without characters that file systems refuse. */
function baseName({ server_name, started_at }: RecordingRow): string {
  const name = `${server_name}-${started_at.replace(/\.\d+/, '')}`;
  return name.replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '-');
}
