import type { CastPosition } from '../ports/keeping.ts';
import type { PtySize } from '../ports/ssh.ts';

/** Where a session writes its recording. None of the methods wait. */
export interface RecordingSink {
  readonly recording_id: number;
  output(bytes: Uint8Array): void;
  resize(size: PtySize): void;
  /** The shell has ended. Resolves when the recording is closed; a failure is logged, and retried later. */
  end(): Promise<void>;
  /** Another process continues the recording. */
  abandon(): Promise<void>;
}

export type RecordingStop = 'limit' | 'disk_full' | 'failed';

export interface RecordingListener {
  /** While true, the recording cannot keep up and the shell should pause. */
  congested(is_congested: boolean): void;
  /** Recording has stopped; the session continues. */
  stopped(reason: RecordingStop): void;
  /** How far the recording is in its file; offsets are those of the session's output. */
  written(position: CastPosition): void;
}

const NOTICES: Readonly<Record<RecordingStop, string>> = {
  limit: 'Recording has stopped: the size limit was reached.',
  disk_full: 'Recording has stopped: the gateway’s disk is full.',
  failed: 'Recording has stopped: the file cannot be written.',
};

/** What a person at the terminal is told. */
export function recordingStopNotice(reason: RecordingStop): {
  kind: 'notice';
  code: string;
  message: string;
} {
  return { kind: 'notice', code: `recording_${reason}`, message: NOTICES[reason] };
}
