import type { ActivityOwner } from '../../activities/activity.ts';
import { Fault } from '../../errors.ts';
import type { ShareMode } from '../../model/terminal.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { History } from './history.ts';
import { dismissMember, type Member } from './member.ts';
import type { MemberSocket, SessionEnd } from './member-socket.ts';
import type { Members } from './members.ts';
import { createOutputFlow, type OutputFlowDeps } from './output-flow.ts';
import { beginOwnerOutput } from './owner-output.ts';
import type { ScreenSnapshot } from './screen-snapshots.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionPast } from './session-past.ts';
import { createOwnerTimer, type OwnerTimer } from './session-timers.ts';
import { createTakenInput } from './taken-input.ts';

const FIRST_SOCKET_MS = 5000; // until the socket that asked for the session attaches
const RETURN_MS = 15_000; // for the owner to find the new gateway, however long there was none

interface Deps {
  readonly members: Members;
  readonly history: History;
  readonly snapshot: () => Promise<ScreenSnapshot>;
  readonly clock: Clock;
  readonly defer: OutputFlowDeps['defer'];
  readonly limits: Pick<SessionLimits, 'resume_ms'>;
  /** How the shell ended; undefined while it runs. */
  readonly end: () => SessionEnd | undefined;
  readonly updateThrottle: () => void;
  /** The owner has come or gone. */
  readonly onChanged: () => void;
  /** The owner has left for good while the shell was running. */
  readonly onLeft: () => void;
  /** The owner can no longer come back for the remaining output. */
  readonly onForgotten: () => void;
}

export interface OwnerAttaching {
  readonly offset: number | undefined;
  readonly mode?: ShareMode;
  /** If false, another client that is attached stays; true by default. */
  readonly take_over?: boolean | undefined;
}

/** The owner of a session: attached, away for a while, or receiving the remaining output after the shell has ended. */
export class OwnerSeat {
  readonly #deps: Deps;
  readonly #timer: OwnerTimer;
  readonly #taken = createTakenInput();
  #is_forgotten = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#timer = createOwnerTimer({
      clock: deps.clock,
      resume_ms: () => deps.limits.resume_ms,
      isReceiving: (has_progress) => this.#isReceiving(has_progress),
      onExpired: () => this.#expired(),
    });
  }

  /** Waits for the owner's first socket, or for the owner of a session that an earlier process ran. */
  await(past: Pick<SessionPast, 'away_ms'> | undefined): void {
    if (past) this.#timer.start(RETURN_MS, past.away_ms);
    else this.#timer.start(FIRST_SOCKET_MS);
  }

  /** A client that does not want to take over may still replace its own previous socket. */
  assertFree(
    { client_id }: Pick<MemberSocket, 'client_id'>,
    { take_over = true }: Pick<OwnerAttaching, 'take_over'>,
  ): void {
    const present = this.#deps.members.owner?.socket;
    const is_own = client_id !== undefined && present?.client_id === client_id;
    if (present && !take_over && !is_own) throw new Fault('terminal_in_use');
  }

  /** The shell has been given input of this member. */
  took({ entry, socket }: Member, bytes: number): void {
    if (entry.role === 'owner') this.#taken.add(socket.client_id, bytes);
  }

  taken({ entry, socket }: Member): number | undefined {
    return entry.role === 'owner' ? this.#taken.of(socket.client_id) : undefined;
  }

  /** Takes over from the owner's previous socket. */
  attach(socket: MemberSocket, { username }: ActivityOwner, { offset, mode = 'rw' }: OwnerAttaching): Member {
    const { members, history, snapshot, defer, updateThrottle, onChanged } = this.#deps;
    const end = this.#deps.end();
    if (!end) this.#timer.cancel(); // after the end, the time to receive the remaining output goes on
    this.#timer.progressed();
    this.dismiss(new Fault('terminal_taken_over'));
    const progressed = () => {
      this.#timer.progressed();
      updateThrottle();
    };
    const member: Member = {
      entry: { id: 'owner', username, role: 'owner', mode },
      socket,
      output: createOutputFlow({ socket, history, progressed, defer }),
      has_begun: false,
    };
    members.owner = member;
    const { client_id } = socket;
    beginOwnerOutput(member, offset, {
      input_bytes: client_id === undefined ? undefined : this.#taken.meet(client_id),
      history,
      snapshot,
      isAttached: () => member === members.owner,
      onShown: () => {
        updateThrottle();
        members.announceToGuests();
      },
    });
    if (end) member.output.end(end);
    updateThrottle();
    members.announceToGuests();
    onChanged();
    return member;
  }

  left(member: Member, how: 'closed' | 'dropped'): void {
    const { members, end, updateThrottle, onChanged, onLeft } = this.#deps;
    if (member !== members.owner) return; // another socket has taken over
    member.output.close();
    members.owner = undefined;
    if (end()) {
      // Output that was sent to a dropped connection may never have arrived.
      if (how === 'closed') this.forget();
      else this.#timer.start(0);
      return;
    }
    if (how === 'closed') {
      onLeft();
      return;
    }
    updateThrottle();
    this.#timer.start(0);
    members.announce();
    onChanged();
  }

  /** Applies a changed limit. */
  followLimits(): void {
    if (!this.#deps.members.owner) this.#timer.restart();
  }

  /** The shell has ended: from now on the total time is limited. */
  limitTotal(): void {
    this.#timer.limitTotal();
  }

  /** After an exit the owner still receives the remaining output, also after a reconnect; a refusal ends at once. */
  finish(end: SessionEnd, has_left: boolean): void {
    const { owner } = this.#deps.members;
    if (end.kind === 'refused' && owner) dismissMember(owner, end.fault);
    else owner?.output.end(end);
    if (has_left || end.kind === 'refused') this.forget();
    else if (owner) this.#timer.startForRemainingOutput();
    else this.#timer.start(0);
  }

  /** The shell has already ended: dismisses members who are still receiving the remaining output. */
  endRemainingOutput(fault: Fault): void {
    if (this.#is_forgotten) return;
    this.dismiss(fault);
    this.#deps.members.guests.dismissAll(fault);
    this.forget();
  }

  dismiss(fault: Fault): void {
    const { owner } = this.#deps.members;
    if (owner && !owner.output.hasEnded()) dismissMember(owner, fault);
  }

  /** Another process continues the session. */
  handOver(): void {
    this.#timer.cancel();
    this.#is_forgotten = true;
  }

  forget(): void {
    if (this.#is_forgotten) return;
    this.#is_forgotten = true;
    this.#timer.cancel();
    this.#deps.members.owner = undefined;
    this.#deps.onForgotten();
  }

  #isReceiving(has_progress: boolean): boolean {
    const { members, end } = this.#deps;
    const { owner } = members;
    return end() !== undefined && owner !== undefined && (has_progress || owner.output.hasEnded());
  }

  #expired(): void {
    if (this.#deps.end())
      this.endRemainingOutput(new Fault('terminal_ended', 'The last output was not received in time'));
    else this.#deps.onLeft();
  }
}
