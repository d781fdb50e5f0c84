import { Fault } from '#core/errors.ts';
import { createMeter } from '#core/overview/meter.ts';
import type { Screens } from '#core/ports/screens.ts';
import type { Shell, ShellListener } from '#core/ports/ssh.ts';
import { LiveSession, type SessionParts } from '#core/terminals/live/live-session.ts';
import type { Guest } from '#core/terminals/live/member.ts';
import type {
  MemberSocket,
  OutputStart,
  SessionEnd,
  SessionUpdate,
} from '#core/terminals/live/member-socket.ts';
import type { SessionLimits } from '#core/terminals/live/session-limits.ts';
import { handClock } from '../../support/hand-clock.ts';

export const SIZE = { cols: 80, rows: 24 };
export const OWNER = { user_id: 1, username: 'ann', credential: { kind: 'session', id: 'web' } as const };

/** A socket that accepts output only when the test says so. */
export function socketDouble(client_id?: string) {
  const unsent: (() => void)[] = [];
  const chunks: Uint8Array[] = [];
  const told: SessionUpdate[] = [];
  const begun: OutputStart[] = [];
  const ends: SessionEnd[] = [];
  const log: string[] = [];
  const socket: MemberSocket = {
    client_id,
    begin: (how) => begun.push(how),
    output(bytes, sent) {
      chunks.push(bytes.slice());
      unsent.push(sent);
    },
    update: (update) => told.push(update),
    pauseInput: () => log.push('pause input'),
    resumeInput: () => log.push('resume input'),
    ended: (end) => ends.push(end),
  };
  return {
    socket,
    told,
    begun,
    ends,
    log,
    bytes: () => Buffer.concat(chunks),
    takeAll() {
      while (unsent.length > 0) unsent.shift()?.();
    },
  };
}

export function guestOf(id: string, mode: Guest['mode'] = 'rw', role: Guest['role'] = 'guest'): Guest {
  return { id, user_id: 2, username: id, credential: { kind: 'session', id }, role, wanted: mode, mode };
}

interface Attaching {
  readonly client_id?: string;
  readonly take_over?: boolean;
}

export interface Doubles {
  readonly id?: string;
  readonly limits?: Partial<SessionLimits>;
  readonly screens?: Screens;
  readonly recording?: SessionParts['recording'];
  readonly onHistory?: SessionParts['onHistory'];
}

/** Draws the latest bytes unchanged. */
const plainScreens: Screens = {
  render: async (_user_id, take) =>
    Buffer.concat(take().flatMap((step) => (step.kind === 'output' ? [step.bytes] : []))).subarray(-1000),
};

/** A terminal whose shell and clock the test controls. */
export function sessionDouble({
  id = 'one',
  limits,
  screens = plainScreens,
  recording,
  onHistory,
}: Doubles = {}) {
  const log: string[] = [];
  const written: string[] = [];
  let listener: ShellListener | undefined;
  let takes_input = true;
  const shell: Shell = {
    start: (given) => {
      listener = given;
    },
    write(bytes) {
      written.push(Buffer.from(bytes).toString());
      return takes_input;
    },
    resize: ({ cols, rows }) => void log.push(`resize ${cols}x${rows}`),
    pause: () => void log.push('pause'),
    resume: () => void log.push('resume'),
    close: () => void log.push('close'),
  };
  const clock = handClock();
  const session_limits = { resume_ms: 120_000, idle_ms: undefined, ...limits };
  const session = new LiveSession(
    { id, owner: OWNER, server: { id: 1, name: 'box' } },
    {
      shell,
      connection: [],
      size: SIZE,
      recording,
      limits: session_limits,
      screens,
      clock,
      meter: createMeter(),
      defer: (run) => run(),
      ...(onHistory && { onHistory }),
      onOver: (_session, end) =>
        void log.push(`over: ${end?.kind === 'refused' ? end.fault.code : (end?.kind ?? 'left')}`),
      onForgotten: () => void log.push('forgotten'),
    },
  );
  const remote = () => {
    if (!listener) throw new Fault('internal');
    return listener;
  };
  return {
    log,
    written,
    session,
    clock,
    /** They change while it runs. */
    limit(change: Partial<SessionLimits>) {
      Object.assign(session_limits, change);
      session.followLimits();
    },
    says: (text: string | Uint8Array) => remote().data(typeof text === 'string' ? Buffer.from(text) : text),
    remote,
    refuseInput: () => {
      takes_input = false;
    },
    attach(from: number | 'screen' = 0, { client_id, take_over }: Attaching = {}) {
      const socket = socketDouble(client_id);
      const offset = from === 'screen' ? undefined : from;
      return { ...socket, attachment: session.attachOwner(socket.socket, OWNER, { offset, take_over }) };
    },
    join(guest: Guest) {
      const socket = socketDouble();
      return {
        ...socket,
        attachment: session.attachGuest(socket.socket, guest, () => void log.push(`left: ${guest.id}`)),
      };
    },
  };
}

export const settled = () => new Promise((resolve) => setImmediate(resolve));
