import type { ActivityInfo } from '../activities/activity.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { type Fault, toFault } from '../errors.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import { createRepeated } from '../lib/time/recent.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { HopConnection } from '../model/hosts/hop-connection.ts';
import type { GatewayEvent } from '../model/webhooks/event.ts';
import { credentialOf } from '../policy/account.ts';
import { modeOf } from '../policy/session-access.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Ask, BannerWatch, PtySize, SecuredWatch, Shell, StageWatch } from '../ports/ssh.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { Admission } from './admission.ts';
import type { SessionLedger } from './ledger.ts';
import type { LiveSession } from './live/live-session.ts';
import type { Recorded, RunningSessions } from './running.ts';

export type { Ask };

const SAME_REFUSAL_MS = 60_000;

/** What a socket asks for when it opens a shell. */
export interface ShellRequest {
  readonly size: PtySize;
  /** Aborts when the socket is gone. */
  readonly signal: AbortSignal;
  /** Asks the person at the terminal what the host wants to know. */
  readonly ask: Ask;
  readonly watch?: StageWatch;
  readonly banner?: BannerWatch;
}

/** The server or host to open a shell on, and how. */
export interface Opening {
  readonly server: { readonly id: number | null; readonly name: string; readonly updated_at?: string };
  /** The name in audit entries. */
  readonly label: string;
  /** From the server record. */
  readonly record_sessions: boolean | null;
  /** How many of the user's quick connects may be in progress. */
  readonly max_dials?: number;
  /** The event to publish once connected. */
  readonly event?: GatewayEvent;
  dial(request: ShellRequest & { readonly secured: SecuredWatch }): Promise<Shell>;
  /** Called when the shell is open; checks a last time that the caller is allowed to. */
  settle(): Promise<Pick<Admission, 'host_key'>>;
}

/** Opens a shell and starts a live session, on any host. */
export interface TerminalOpenings {
  open(caller: Caller, opening: Opening, request: ShellRequest): Promise<Admission>;
  /** Audits a refusal, at most once a minute for the same subject: a client in a loop must not fill the log. */
  refused(caller: Caller, refusal: { label: string; fault: Fault; subject?: string }): Promise<void>;
}

interface Deps {
  readonly activities: ActivityRegistry<LiveSession>;
  readonly ledger: SessionLedger;
  readonly recorder: Recorder;
  readonly running: RunningSessions;
  readonly trail: AuditTrail;
  readonly clock: Clock;
}

type Begun = Pick<ShellRequest, 'size' | 'signal'> & {
  readonly opening: Opening;
  readonly shell: Shell;
  readonly connection: readonly HopConnection[];
};

export function createTerminalOpenings(deps: Deps): TerminalOpenings {
  const { activities, ledger, recorder, running, trail, clock } = deps;
  const isRepeated = createRepeated(clock, SAME_REFUSAL_MS);

  const refused: TerminalOpenings['refused'] = async (caller, { label, fault, subject = label }) => {
    if (isRepeated(JSON.stringify([caller.user_id, caller.ip_address, subject, fault.code]))) return;
    await trail.record(caller, 'terminal_refuse', `${label}: ${fault.code}`);
  };

  async function record(
    caller: Caller,
    info: ActivityInfo,
    { opening, shell, size }: Begun,
  ): Promise<Recorded> {
    const recorded: Recorded = { session: undefined, sink: undefined };
    recorded.sink = await recorder.begin(
      { caller, session_id: info.id, server: opening.server, record_sessions: opening.record_sessions, size },
      running.listen(recorded, shell),
    );
    return recorded;
  }

  async function begin(caller: Caller, info: ActivityInfo, begun: Begun): Promise<LiveSession> {
    const { opening, shell, connection, size, signal } = begun;
    const recorded = await record(caller, info, begun);
    if (signal.aborted) {
      void recorded.sink?.end();
      throw signal.reason; // the caller lost access
    }
    const { label } = opening;
    const session = running.run({ info, label, actor: caller, shell, connection, size, recorded });
    ledger.later('store a new terminal', () => ledger.begin(session), session.id);
    return session;
  }

  async function openSession(caller: Caller, info: ActivityInfo, opening: Opening, request: ShellRequest) {
    await ledger.reserve(info, opening.max_dials);
    const connection: HopConnection[] = [];
    const secured: SecuredWatch = (hop) => void connection.push(hop);
    const shell = await opening.dial({ ...request, secured });
    try {
      await trail.record(caller, 'terminal_open', opening.label, { event: opening.event });
      const settled = await opening.settle();
      request.signal.throwIfAborted();
      const session = await begin(caller, info, { ...request, opening, shell, connection });
      return { ...settled, session };
    } catch (error) {
      shell.close();
      shell.keeping?.forget();
      throw error;
    }
  }

  return {
    refused,

    async open(caller, opening, request) {
      const info = infoOf(caller, opening);
      const ended = new AbortController();
      activities.addOpening(info, (fault) => ended.abort(fault));
      try {
        const signal = AbortSignal.any([request.signal, ended.signal]);
        const { session, host_key } = await openSession(caller, info, opening, { ...request, signal });
        return {
          session,
          role: 'owner',
          mode: modeOf(caller),
          host_key,
          attach: (socket) => session.attachOwner(socket, session.owner, { offset: 0, mode: modeOf(caller) }),
          abandon: () => session.abandon(), // nobody else knows the session
        };
      } catch (failure) {
        const error: unknown = ended.signal.aborted ? ended.signal.reason : failure;
        activities.remove(info.id);
        ledger.remove(info.id);
        if (!request.signal.aborted) await refused(caller, { label: opening.label, fault: toFault(error) });
        throw error;
      }
    },
  };
}

function infoOf(caller: Caller, { server }: Opening): ActivityInfo {
  const { user_id, username } = caller;
  return {
    id: randomToken(16),
    owner: { user_id, username, credential: credentialOf(caller) },
    server: { id: server.id, name: server.name, revision: server.updated_at },
  };
}
