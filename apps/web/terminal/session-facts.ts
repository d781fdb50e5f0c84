import type { Accessor } from 'solid-js';
import { createStore } from 'solid-js/store';
import type { Schemas } from '#client/client.ts';
import type { NewsFrame } from '#client/terminal/events.ts';
import type { TerminalSize } from '#client/terminal/target.ts';
import type { HostKey, Participant } from '../open-terminals/terminals.ts';

export interface Notice {
  readonly code: string;
  readonly message: string;
}

export interface HostBanner {
  /** The server that says it. */
  readonly name: string;
  readonly text: string;
}

export type InputLoss = 'typed_lost' | 'typed_doubtful';

export interface SessionStart {
  readonly size: TerminalSize;
  readonly screen_bytes: number;
}

/** What the gateway has reported about a session. */
export interface SessionFacts {
  readonly mode: Accessor<Participant['mode']>;
  /** The owner, if it is another user's session. */
  readonly owner: Accessor<string | undefined>;
  readonly participants: Accessor<readonly Participant[]>;
  readonly recording: Accessor<boolean>;
  readonly host_key: Accessor<HostKey | undefined>;
  /** How the connection to each server on the way is protected; empty if that is not known. */
  readonly connection: Accessor<readonly Schemas['HopConnection'][]>;
  /** How the latest socket of an own session began: the session's size, and how much redraws its screen. */
  readonly start: Accessor<SessionStart | undefined>;
  /** A size set by another member. */
  readonly size: Accessor<TerminalSize | undefined>;
  readonly notice: Accessor<Notice | undefined>;
  /** What hosts have said before they let the user in. */
  readonly banners: Accessor<readonly HostBanner[]>;
  /** The current stage of a slow connection attempt. */
  readonly stage: Accessor<Extract<NewsFrame, { type: 'stage' }> | undefined>;
  /** The shell keeps running through a reload of the page. */
  readonly outlives_page: Accessor<boolean>;
  /** Input that the shell was not given before it ended, or perhaps not. */
  readonly loss: Accessor<InputLoss | undefined>;
  loseInput(loss: { readonly is_certain: boolean }): void;
  note(notice: Notice | undefined): void;
  dismissBanners(): void;
  /** A new connection starts: clears the facts of the previous one. */
  begin(): void;
  learn(frame: NewsFrame): void;
}

interface Facts {
  readonly mode: Participant['mode'];
  readonly owner: string | undefined;
  readonly participants: readonly Participant[];
  readonly recording: boolean;
  readonly host_key: HostKey | undefined;
  readonly connection: readonly Schemas['HopConnection'][];
  readonly start: SessionStart | undefined;
  readonly size: TerminalSize | undefined;
  readonly notice: Notice | undefined;
  readonly banners: readonly HostBanner[];
  readonly stage: Extract<NewsFrame, { type: 'stage' }> | undefined;
  readonly outlives_page: boolean;
  readonly loss: InputLoss | undefined;
}

/** Facts that a new connection does not have yet. */
const FRESH = {
  participants: [],
  recording: false,
  host_key: undefined,
  connection: [],
  notice: undefined,
  banners: [],
  stage: undefined,
  start: undefined,
  loss: undefined,
} as const satisfies Partial<Facts>;

export function createSessionFacts(): SessionFacts {
  const [facts, set] = createStore<Facts>({
    ...FRESH,
    mode: 'rw',
    owner: undefined,
    size: undefined,
    outlives_page: true,
  });
  return {
    mode: () => facts.mode,
    owner: () => facts.owner,
    participants: () => facts.participants,
    recording: () => facts.recording,
    host_key: () => facts.host_key,
    connection: () => facts.connection,
    start: () => facts.start,
    size: () => facts.size,
    notice: () => facts.notice,
    banners: () => facts.banners,
    stage: () => facts.stage,
    outlives_page: () => facts.outlives_page,
    loss: () => facts.loss,
    loseInput: ({ is_certain }) => set({ loss: is_certain ? 'typed_lost' : 'typed_doubtful' }),
    note: (notice) => set({ notice }),
    dismissBanners: () => set({ banners: [] }),
    begin: () => set(FRESH),
    learn: (frame) => set(toldBy(frame, facts)),
  };
}

const OWN = { owner: undefined, mode: 'rw' } as const;

function toldBy(frame: NewsFrame, { owner, banners }: Pick<Facts, 'owner' | 'banners'>): Partial<Facts> {
  switch (frame.type) {
    case 'session': {
      const { recording, host_key, connection, resume_s, cols, rows, screen_bytes = 0 } = frame;
      const start = { size: { cols, rows }, screen_bytes };
      return { ...OWN, recording, host_key, connection, start, outlives_page: resume_s > 0 };
    }
    case 'joined': {
      const { cols, rows, mode } = frame;
      return { owner: frame.owner, mode, size: { cols, rows }, outlives_page: true }; // it is joined again after a drop
    }
    case 'stage':
      return { stage: frame };
    case 'mode':
      return { mode: frame.mode, notice: { code: `mode_${frame.mode}`, message: frame.mode } };
    case 'size':
      return owner === undefined ? {} : { size: { cols: frame.cols, rows: frame.rows } };
    case 'participants':
      return { participants: frame.list };
    case 'recording':
      return { recording: frame.active };
    case 'banner':
      return { banners: [...banners, { name: frame.name, text: frame.text }] };
    case 'notice':
      return { notice: { code: frame.code, message: frame.message } };
  }
}
