import type { AuditTrail } from '../audit/trail.ts';
import { type Fault, toFault } from '../errors.ts';
import { randomToken } from '../lib/bytes.ts';
import { createRepeated } from '../lib/recent.ts';
import type { Caller } from '../model/caller.ts';
import type { GatewayEvent } from '../model/event.ts';
import type { InForce } from '../model/setting.ts';
import { credentialOf } from '../policy/account.ts';
import type { Meter } from '../ports/meter.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { Screens } from '../ports/screens.ts';
import type { Ask, PtySize, Shell, StageWatch } from '../ports/ssh.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { Admission } from './admission.ts';
import type { SessionLedger } from './ledger.ts';
import { LiveSession, type LiveSessionInfo, type SessionLimits } from './live/live-session.ts';
import type { SessionEnd } from './live/participant.ts';
import type { SessionRegistry } from './live/registry.ts';
import type { Tape } from './live/tape.ts';
import type { ShareBook } from './share-book.ts';

export type { Ask };

const SAME_REFUSAL_MS = 60_000;

/** What a socket brings that wants a shell. */
export interface ShellWish {
  readonly size: PtySize;
  /** Aborted when the asking socket is gone. */
  readonly signal: AbortSignal;
  /** Puts what a host wants to know to the person at the terminal. */
  readonly ask: Ask;
  readonly watch?: StageWatch;
}

/** Where a shell is to be opened, and by which steps. */
export interface Opening {
  readonly server: { readonly id: number | null; readonly name: string };
  /** How audit entries name it. */
  readonly label: string;
  /** Of the server's record. */
  readonly record_sessions: boolean | null;
  /** What webhooks are to hear once SSH is up. */
  readonly event?: GatewayEvent;
  dial(wish: ShellWish): Promise<Shell>;
  /** The shell is there; the last thing asked is whether the caller still may. */
  settle(): Promise<Pick<Admission, 'host_key'>>;
}

/** From a wish for a shell to a live session, whichever host it is on. */
export interface TerminalOpenings {
  open(caller: Caller, opening: Opening, wish: ShellWish): Promise<Admission>;
  /** Once a minute for the same subject and refusal: whoever asks in a loop must not fill the log. */
  refused(caller: Caller, refusal: { label: string; fault: Fault; subject?: string }): Promise<void>;
}

interface Deps {
  readonly registry: SessionRegistry;
  readonly ledger: SessionLedger;
  readonly recorder: Recorder;
  readonly shares: Pick<ShareBook, 'remove'>;
  readonly screens: Screens;
  readonly trail: AuditTrail;
  readonly meter: Meter;
  readonly background: Background;
  readonly clock: Clock;
  readonly settings: InForce<'resume_seconds' | 'session_timeout'>;
}

/** As they are set whenever they are looked at. */
function limitsOf(settings: Deps['settings']): SessionLimits {
  return {
    get resume_ms() {
      return settings.values.resume_seconds * 1000;
    },
    get idle_ms() {
      return settings.values.session_timeout * 1000 || undefined;
    },
  };
}

export function createTerminalOpenings(deps: Deps): TerminalOpenings {
  const { registry, ledger, recorder, shares, screens, trail, meter, background, clock, settings } = deps;
  const limits = limitsOf(settings);
  const isRepeated = createRepeated(clock, SAME_REFUSAL_MS);

  const refused: TerminalOpenings['refused'] = async (caller, { label, fault, subject = label }) => {
    if (isRepeated(JSON.stringify([caller.user_id, caller.ip_address, subject, fault.code]))) return;
    await trail.record(caller, 'terminal_refuse', `${label}: ${fault.code}`);
  };

  /** What is written down of a session's end. */
  function over(caller: Caller, { label }: Opening, session: LiveSession, end: SessionEnd | undefined): void {
    const seconds = Math.round((clock.now().getTime() - session.started_at.getTime()) / 1000);
    const why = !end || end.kind === 'exit' ? '' : ` (${end.fault.code})`;
    shares.remove(session.id);
    ledger.finish(session.id);
    const detail = `${label} after ${seconds} s${why}`;
    background.run('audit the end of a terminal', trail.record(caller, 'terminal_close', detail));
  }

  async function record(caller: Caller, info: LiveSessionInfo, opening: Opening, size: PtySize) {
    const of: { session?: LiveSession; tape?: Tape | undefined } = {};
    of.tape = await recorder.begin(
      { caller, session_id: info.id, server: opening.server, record_sessions: opening.record_sessions, size },
      {
        congested: (is_congested) => of.session?.congest(is_congested),
        stopped(why) {
          of.tape = undefined;
          of.session?.stopTape(why);
        },
      },
    );
    return of;
  }

  async function begin(
    caller: Caller,
    info: LiveSessionInfo,
    { opening, shell, size, signal }: Pick<ShellWish, 'size' | 'signal'> & { opening: Opening; shell: Shell },
  ): Promise<LiveSession> {
    const recorded = await record(caller, info, opening, size);
    if (signal.aborted) {
      recorded.tape?.end();
      throw signal.reason; // the right to it was lost meanwhile
    }
    const session = new LiveSession(info, {
      shell,
      size,
      tape: recorded.tape,
      limits,
      screens,
      clock,
      meter,
      onOver: (ended, end) => over(caller, opening, ended, end),
      onForgotten() {
        registry.remove(info.id);
        ledger.remove(info.id);
      },
    });
    recorded.session = session;
    registry.opened(session);
    ledger.later('list a terminal', () => ledger.begin(session), session.id);
    return session;
  }

  async function openSession(caller: Caller, info: LiveSessionInfo, opening: Opening, wish: ShellWish) {
    await ledger.reserve(info);
    const shell = await opening.dial(wish);
    try {
      await trail.record(caller, 'terminal_open', opening.label, { event: opening.event });
      const settled = await opening.settle();
      wish.signal.throwIfAborted();
      const session = await begin(caller, info, { ...wish, opening, shell });
      return { ...settled, session };
    } catch (error) {
      shell.close();
      throw error;
    }
  }

  return {
    refused,

    async open(caller, opening, wish) {
      const info = infoOf(caller, opening);
      const ended = new AbortController();
      registry.opening(info, (fault) => ended.abort(fault));
      try {
        const signal = AbortSignal.any([wish.signal, ended.signal]);
        const { session, host_key } = await openSession(caller, info, opening, { ...wish, signal });
        return {
          session,
          role: 'owner',
          mode: 'rw',
          host_key,
          enter: (attendee) => session.attachOwner(attendee, session.owner, 0),
          abandon: () => session.abandon(), // nobody knows of it
        };
      } catch (failure) {
        const error: unknown = ended.signal.aborted ? ended.signal.reason : failure;
        registry.remove(info.id);
        ledger.remove(info.id);
        if (!wish.signal.aborted) await refused(caller, { label: opening.label, fault: toFault(error) });
        throw error;
      }
    },
  };
}

function infoOf(caller: Caller, { server }: Opening): LiveSessionInfo {
  const { user_id, username } = caller;
  return {
    id: randomToken(16),
    owner: { user_id, username, credential: credentialOf(caller) },
    server: { id: server.id, name: server.name },
  };
}
