import type { Actor, AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { NewRecordingRow, RecordingRow } from '../model/recording.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { CastEnd, CastListener, Casts, CastWriter } from '../ports/casts.ts';
import type { KeptOutput } from '../ports/keeper.ts';
import type { CastPosition } from '../ports/keeping.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import type { PtySize } from '../ports/ssh.ts';
import { type Closing, createClosings } from './closings.ts';
import type { RecordingsDirectory } from './directory.ts';
import { recordingLabel, serverOfRecording } from './entries.ts';
import { createRecovery } from './recovery.ts';
import { replay } from './replay.ts';
import type { RecordingListener, RecordingSink, RecordingStop } from './sink.ts';

const WHY: Readonly<Record<RecordingStop, string>> = {
  limit: 'size limit reached',
  disk_full: 'disk full',
  failed: 'file cannot be written',
};
const BROKEN_OFF = 'A recording was stopped early';

/** A session to record. */
export interface Recorded {
  readonly caller: Caller;
  readonly session_id: string;
  readonly server: { readonly id: number | null; readonly name: string };
  /** The server's setting; null follows `SERVICE_RECORD_SESSIONS`. */
  readonly record_sessions: boolean | null;
  readonly size: PtySize;
}

/** A recording that an earlier process has begun. */
export interface Continued {
  readonly recording_id: number;
  readonly actor: Actor;
  readonly output: KeptOutput;
  /** How far that process had written it. */
  readonly position: CastPosition;
}

/** Records the output of terminals. */
export interface Recorder {
  /** Undefined when recording is off. Throws `recording_failed` when it is on but fails: no session goes unrecorded. */
  begin(recorded: Recorded, listener: RecordingListener): Promise<RecordingSink | undefined>;
  /**
   * Continues the file with the output it lacks. Undefined when the recording was deleted; throws `recording_failed` when
   * the file cannot be continued.
   */
  resume(continued: Continued, listener: RecordingListener): Promise<RecordingSink | undefined>;
  /** Logs a warning when recordings cannot be written. */
  probe(): Promise<void>;
  /** Closes recordings that stopped instances left open here, retries failed closings, and deletes files of deleted recordings. */
  recover(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'recordings'>;
  readonly casts: Casts;
  readonly directory: RecordingsDirectory;
  readonly trail: AuditTrail;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  /** Called after a recording was closed. */
  readonly closed: () => void;
  /** The run of this instance. */
  readonly run_id: string;
  readonly settings: InForce<'record_sessions' | 'recording_max_bytes'>;
}

export function createRecorder(deps: Deps): Recorder {
  const { repositories, casts, directory, trail, clock, background, log, run_id, settings } = deps;
  const { recordings } = repositories;
  const closings = createClosings(deps);

  /** Called after the row is stored: a file without a row would be lost. */
  async function create(row: RecordingRow, size: PtySize, listener: CastListener): Promise<CastWriter> {
    const { file_path: path, server_name: title } = row;
    const started_at = new Date(row.started_at);
    const max_bytes = settings.values.recording_max_bytes || undefined;
    try {
      return await casts.create({ path, title, started_at, size, max_bytes }, listener);
    } catch (error) {
      await recordings.remove(row.id);
      throw error;
    }
  }

  /** Closes the recording once, when the shell or the recording ends. */
  function closerOf(row: RecordingRow, actor: Actor) {
    let is_closed = false;
    let note: string | undefined;
    return {
      /** The recording ended for another reason; returns whether the shell was still running. */
      stopped(why: RecordingStop): boolean {
        note = is_closed ? WHY[why] : `${WHY[why]}, session continues`;
        return !is_closed;
      },
      async close(ending: Promise<CastEnd>): Promise<void> {
        if (is_closed) return;
        is_closed = true;
        const ended_at = clock.now().toISOString();
        const work = async () => {
          const end = { ...(await ending), ended_at, status: 'finished' } as const;
          await closings.close({ row, end, actor, ...noteOf(row, note) });
        };
        const closing = work();
        background.run('closing a recording', closing);
        await closing.catch(() => undefined); // logged, and retried later
      },
    };
  }

  async function start(recorded: Recorded, listener: RecordingListener): Promise<RecordingSink> {
    const home = { run_id, directory_id: await directory.find({ create: true }) };
    const row = await recordings.insert(newRow(recorded, clock.now().toISOString(), home));
    const { castListener, sinkOf } = writing(row, recorded.caller, listener);
    return sinkOf(await create(row, recorded.size, castListener));
  }

  /** What a recording hears from its file, and what writes to it. */
  function writing(row: RecordingRow, actor: Actor, listener: RecordingListener) {
    const closer = closerOf(row, actor);
    const castListener: CastListener = {
      congested: listener.congested,
      written: listener.written,
      stopped(why, end, reason) {
        if (why !== 'limit') log.error({ recording: row.id, path: row.file_path, reason }, BROKEN_OFF);
        const goes_on = closer.stopped(why);
        void closer.close(Promise.resolve(end));
        if (goes_on) listener.stopped(why);
      },
    };
    const sinkOf = (writer: CastWriter): RecordingSink => ({
      recording_id: row.id,
      output: (bytes) => writer.output(bytes),
      resize: (size) => writer.resize(size),
      end: () => closer.close(writer.close()),
      abandon: () => writer.abandon(),
    });
    return { castListener, sinkOf };
  }

  async function resume(
    { recording_id, actor, output, position }: Continued,
    listener: RecordingListener,
  ): Promise<RecordingSink | undefined> {
    const row = await recordings.adopt(recording_id, run_id);
    if (!row) return undefined;
    const { file_path: path } = row;
    const started_at = new Date(row.started_at);
    const max_bytes = settings.values.recording_max_bytes || undefined;
    const { castListener, sinkOf } = writing(row, actor, listener);
    const writer = await casts.resume({ path, started_at, max_bytes, position }, castListener);
    replay(writer, output, position.offset);
    return sinkOf(writer);
  }

  return {
    async begin(recorded, listener) {
      if (!(recorded.record_sessions ?? settings.values.record_sessions)) return undefined;
      try {
        return await start(recorded, listener);
      } catch (cause) {
        const detail = `${serverOfRecording(recorded.server)}: session refused because it cannot be recorded`;
        background.run(
          'recording a refused recording in the audit log',
          trail.record(recorded.caller, 'recording_stop', detail),
        );
        throw new Fault('recording_failed', undefined, { cause });
      }
    },

    resume,

    async probe() {
      try {
        await casts.probe();
        await directory.find({ create: false });
      } catch (err) {
        log.warn({ err }, 'Terminals cannot be recorded: SERVICE_RECORDINGS_DIR cannot be written');
      }
    },

    recover: createRecovery({ ...deps, closings }),
  };
}

function noteOf(row: RecordingRow, note: string | undefined): Pick<Closing, 'note'> {
  return note ? { note: { action: 'recording_stop', detail: `${recordingLabel(row)}: ${note}` } } : {};
}

type Home = Pick<RecordingRow, 'run_id' | 'directory_id'>;

function newRow({ caller, server }: Recorded, started_at: string, home: Home): NewRecordingRow {
  return {
    user_id: caller.user_id,
    username: caller.username,
    server_id: server.id,
    server_name: server.name,
    started_at,
    file_path: filePathFor(started_at),
    ...home,
    status: 'recording',
    ...{ ended_at: null, duration_s: null, size_bytes: null, sha256: null },
  };
}

/** For example `2026-02/20260203T040506Z-….cast`. */
function filePathFor(started_at: string): string {
  const stamp = started_at.replace(/[-:]|\.\d+/g, '');
  return `${started_at.slice(0, 7)}/${stamp}-${randomToken(9)}.cast`;
}
