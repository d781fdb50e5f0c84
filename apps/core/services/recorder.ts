import { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes.ts';
import type { Caller } from '../model/caller.ts';
import type { NewRecordingRow, RecordingRow } from '../model/recording.ts';
import type { CastEnd, CastListener, Casts, CastWriter } from '../ports/casts.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { PtySize } from '../ports/ssh.ts';
import type { Tape, TapeListener, TapeStop } from '../terminal/tape.ts';
import type { AuditTrail } from './audit-trail.ts';
import { createClosings } from './recording-closings.ts';
import { recordingLabel, serverOfRecording } from './recording-entries.ts';
import { createRecovery } from './recording-recovery.ts';

const WHY: Readonly<Record<TapeStop, string>> = {
  limit: 'its limit is reached',
  disk_full: 'the disk is full',
  failed: 'the file cannot be written',
};

/** What is about to be recorded. */
export interface Recorded {
  readonly caller: Caller;
  readonly session_id: string;
  readonly server: { readonly id: number | null; readonly name: string };
  /** Of the server's record: null follows `SERVICE_RECORD_SESSIONS`. */
  readonly record_sessions: boolean | null;
  readonly size: PtySize;
}

/** Writes down what terminals show. */
export interface Recorder {
  /** Undefined when it is not to be recorded. Where it is and cannot be, `recording_failed`: no session goes unrecorded. */
  begin(recorded: Recorded, listener: TapeListener): Promise<Tape | undefined>;
  /** Closes what instances that are gone have left open, and what could not be closed before. */
  recover(): Promise<void>;
}

export interface RecorderOptions {
  /** Unless a server's record says otherwise. */
  readonly enabled: boolean;
  /** Of one file; undefined without a limit. */
  readonly max_bytes: number | undefined;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'recordings'>;
  readonly casts: Casts;
  readonly trail: AuditTrail;
  readonly clock: Clock;
  readonly background: Background;
  /** Of this instance. */
  readonly run_id: string;
  readonly options: RecorderOptions;
}

export function createRecorder(deps: Deps): Recorder {
  const { repositories, casts, trail, clock, background, run_id, options } = deps;
  const { recordings } = repositories;
  const closings = createClosings(deps);

  /** After its row: a file without one would never be found again. */
  async function create(row: RecordingRow, size: PtySize, listener: CastListener): Promise<CastWriter> {
    const { file_path: path, server_name: title } = row;
    const started_at = new Date(row.started_at);
    try {
      return await casts.create({ path, title, started_at, size, max_bytes: options.max_bytes }, listener);
    } catch (error) {
      await recordings.remove(row.id);
      throw error;
    }
  }

  /** Once, when the shell is over or its recording. */
  function closerOf(row: RecordingRow, actor: Caller) {
    let is_closed = false;
    return (ending: Promise<CastEnd>, note?: { action: 'recording_stop'; detail: string }): void => {
      if (is_closed) return;
      is_closed = true;
      const ended_at = clock.now().toISOString();
      const work = async () => {
        const end = { ...(await ending), ended_at, status: 'finished' } as const;
        await closings.close({ row, end, actor, ...(note ? { note } : {}) });
      };
      background.run('closing a recording', work());
    };
  }

  async function start(recorded: Recorded, listener: TapeListener): Promise<Tape> {
    const row = await recordings.insert(newRow(recorded, clock.now().toISOString(), run_id));
    const close = closerOf(row, recorded.caller);
    const writer = await create(row, recorded.size, {
      congested: listener.congested,
      stopped(why, end) {
        const detail = `${recordingLabel(row)}: ${WHY[why]}, the session goes on`;
        close(Promise.resolve(end), { action: 'recording_stop', detail });
        listener.stopped(why);
      },
    });
    return {
      output: (bytes) => writer.output(bytes),
      resize: (size) => writer.resize(size),
      end: () => close(writer.close()),
    };
  }

  return {
    async begin(recorded, listener) {
      if (!(recorded.record_sessions ?? options.enabled)) return undefined;
      try {
        return await start(recorded, listener);
      } catch (cause) {
        const detail = `${serverOfRecording(recorded.server)}: cannot be recorded, so the session is refused`;
        background.run('telling of a refusal', trail.record(recorded.caller, 'recording_stop', detail));
        throw new Fault('recording_failed', undefined, { cause });
      }
    },

    recover: createRecovery({ ...deps, closings }),
  };
}

function newRow({ caller, server }: Recorded, started_at: string, run_id: string): NewRecordingRow {
  return {
    user_id: caller.user_id,
    username: caller.username,
    server_id: server.id,
    server_name: server.name,
    started_at,
    file_path: filePathFor(started_at),
    run_id,
    status: 'recording',
    ...{ ended_at: null, duration_s: null, size_bytes: null, sha256: null },
  };
}

/** Such as `2026-02/20260203T040506Z-….cast`. */
function filePathFor(started_at: string): string {
  const stamp = started_at.replace(/[-:]|\.\d+/g, '');
  return `${started_at.slice(0, 7)}/${stamp}-${randomToken(9)}.cast`;
}
