import type { Fault } from '../errors.ts';
import { flowFor } from '../lib/watermark.ts';
import type { Credential } from '../model/caller.ts';
import type { PtySize, Shell, ShellEnd } from '../ports/ssh.ts';

// One socket may hold this much output that the network has not taken; beyond it the remote program sleeps.
const OUTPUT_MARKS = { high_bytes: 1024 * 1024, low_bytes: 256 * 1024 };

/** One end of a live session: a socket, as far as the session needs to know. */
export interface Participant {
  /** Takes output; calls `sent` once it has left the process. */
  output(bytes: Uint8Array, sent: () => void): void;
  pauseInput(): void;
  resumeInput(): void;
  /** Comes once, after the last output. */
  ended(end: SessionEnd): void;
}

export type SessionEnd = ShellEnd | { readonly kind: 'refused'; readonly fault: Fault };

export interface SessionOwner {
  readonly user_id: number;
  readonly username: string;
  /** What opened it: its end is the terminal's. */
  readonly credential: Credential;
}

export interface LiveSessionInfo {
  readonly id: string;
  readonly owner: SessionOwner;
  readonly server: {
    readonly id: number;
    readonly name: string;
    /** What the record was when a transfer began; it does not outlive an edit. */
    readonly revision?: string;
  };
}

/** A running shell and who is attached to it; knows neither sockets nor SSH. */
export interface LiveSession extends LiveSessionInfo {
  attach(participant: Participant): void;
  input(bytes: Uint8Array): void;
  resize(size: PtySize): void;
  /** Ends the shell; the participant is told why, unless it is the one who left. */
  end(fault: Fault): void;
  leave(): void;
}

export function createLiveSession(info: LiveSessionInfo, shell: Shell, onEnd: () => void): LiveSession {
  let participant: Participant | undefined;
  let queued_bytes = 0;
  let paused = false;
  let over: { readonly end: SessionEnd | undefined } | undefined;

  function steer(): void {
    const flow = flowFor(queued_bytes, paused, OUTPUT_MARKS);
    if (flow === 'keep') return;
    paused = flow === 'pause';
    if (paused) shell.pause();
    else shell.resume();
  }

  function output(bytes: Uint8Array): void {
    if (over || !participant) return;
    queued_bytes += bytes.length;
    participant.output(bytes, () => {
      queued_bytes -= bytes.length;
      steer();
    });
    steer();
  }

  function finish(end: SessionEnd | undefined): void {
    if (over) return;
    over = { end };
    onEnd();
    if (end) participant?.ended(end);
    if (end?.kind !== 'exit') shell.close();
  }

  return {
    ...info,
    attach(joining) {
      if (over) {
        if (over.end) joining.ended(over.end); // ended before its socket had it
        return;
      }
      participant = joining;
      shell.start({ data: output, drain: () => participant?.resumeInput(), end: finish });
    },
    input(bytes) {
      if (!over && !shell.write(bytes)) participant?.pauseInput();
    },
    resize(size) {
      if (!over) shell.resize(size);
    },
    end: (fault) => finish({ kind: 'refused', fault }),
    leave: () => finish(undefined),
  };
}
