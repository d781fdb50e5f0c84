import { type Accessor, batch, createSignal } from 'solid-js';
import type { TerminalSize } from '#client/terminal-aim.ts';
import type { NewsFrame } from '#client/terminal-events.ts';
import type { HostKey, Participant } from '../state/terminals.ts';

export interface Notice {
  readonly code: string;
  readonly message: string;
}

/** What the gateway has said of a session. */
export interface SessionFacts {
  readonly mode: Accessor<Participant['mode']>;
  /** Whose session it is, when it is somebody else's. */
  readonly owner: Accessor<string | undefined>;
  readonly participants: Accessor<readonly Participant[]>;
  readonly recording: Accessor<boolean>;
  readonly host_key: Accessor<HostKey | undefined>;
  /** That others decide on. */
  readonly size: Accessor<TerminalSize | undefined>;
  readonly notice: Accessor<Notice | undefined>;
  note(notice: Notice | undefined): void;
  learn(frame: NewsFrame): void;
}

export function createSessionFacts(): SessionFacts {
  const [mode, setMode] = createSignal<Participant['mode']>('rw');
  const [owner, setOwner] = createSignal<string>();
  const [participants, setParticipants] = createSignal<readonly Participant[]>([]);
  const [recording, setRecording] = createSignal(false);
  const [host_key, setHostKey] = createSignal<HostKey>();
  const [size, setSize] = createSignal<TerminalSize>();
  const [notice, note] = createSignal<Notice>();

  function learn(frame: NewsFrame): void {
    switch (frame.type) {
      case 'session':
        setOwner(undefined);
        setMode('rw');
        setRecording(frame.recording);
        setHostKey(frame.host_key);
        break;
      case 'joined':
        setOwner(frame.owner);
        setMode(frame.mode);
        setSize({ cols: frame.cols, rows: frame.rows });
        break;
      case 'size':
        if (owner() !== undefined) setSize({ cols: frame.cols, rows: frame.rows });
        break;
      case 'participants':
        setParticipants(frame.list);
        break;
      case 'recording':
        setRecording(frame.active);
        break;
      case 'notice':
        note({ code: frame.code, message: frame.message });
        break;
    }
  }

  return {
    mode,
    owner,
    participants,
    recording,
    host_key,
    size,
    notice,
    note,
    learn: (frame) => batch(() => learn(frame)),
  };
}
