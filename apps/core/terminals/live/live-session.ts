import type { ActivityInfo, ActivityOwner, ActivityServer } from '../../activities/activity.ts';
import { Fault } from '../../errors.ts';
import type { ShareMode } from '../../model/terminal.ts';
import type { KeptOutput } from '../../ports/keeper.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Screens } from '../../ports/screens.ts';
import type { PtySize, Shell } from '../../ports/ssh.ts';
import { createHistory, type History } from './history.ts';
import type { SessionLimits } from './limits.ts';
import { dismissMember, type Guest, type Member } from './member.ts';
import type { Attachment, MemberSocket, SessionEnd } from './member-socket.ts';
import { Members } from './members.ts';
import { createOutputFlow, type OutputFlowDeps } from './output-flow.ts';
import { beginOwnerOutput } from './owner-output.ts';
import { type RecordingSink, type RecordingStop, recordingStopNotice } from './recording-sink.ts';
import { createResizer, type Resizer } from './resizer.ts';
import { createScreenSnapshots, type ScreenSnapshot } from './screen-snapshots.ts';
import { createIdleTimer, createOwnerTimer, type IdleTimer, type OwnerTimer } from './session-timers.ts';
import { createShellInput, type ShellInput } from './shell-input.ts';
import { createShellThrottle, type ShellThrottle } from './shell-throttle.ts';

const FIRST_SOCKET_MS = 5000; // until the socket that asked for the session attaches
const RETURN_MS = 15_000; // for the owner to find the new gateway, however long there was none

/** What a session was before this process continued it. */
export interface SessionPast {
  readonly started_at: Date;
  readonly output: KeptOutput;
  /** How long the owner has been away. */
  readonly away_ms: number;
}

export interface SessionParts {
  readonly shell: Shell;
  readonly size: PtySize;
  readonly recording: RecordingSink | undefined;
  readonly limits: SessionLimits;
  readonly screens: Screens;
  readonly clock: Clock;
  readonly meter: Pick<Meter, 'add'>;
  readonly past?: SessionPast | undefined;
  /** The owner has come or gone, the recording has stopped, or a limit has changed. */
  readonly onChanged?: (session: LiveSession) => void;
  /** Another process continues the session. */
  readonly onHandedOver?: (released: Promise<void>) => void;
  /** The shell has ended; `end` is undefined when the owner has left. */
  readonly onOver: (session: LiveSession, end: SessionEnd | undefined) => void;
  /** Runs a function after the current task; a microtask by default. */
  readonly defer?: OutputFlowDeps['defer'];
  /** The owner can no longer come back for the remaining output. */
  readonly onForgotten: () => void;
}

/** A running shell and its members. Knows neither WebSockets nor SSH. */
export class LiveSession {
  readonly use = 'terminal';
  readonly live = true;
  readonly id: string;
  readonly server: ActivityServer;
  readonly started_at: Date;
  #info_owner: ActivityOwner;
  readonly #parts: SessionParts;
  readonly #defer: OutputFlowDeps['defer'];
  readonly #history: History;
  readonly #members: Members;
  readonly #snapshot: () => Promise<ScreenSnapshot>;
  readonly #input: ShellInput;
  readonly #throttle: ShellThrottle;
  readonly #resizer: Resizer;
  readonly #idle: IdleTimer;
  readonly #owner_timer: OwnerTimer;
  #recording: RecordingSink | undefined;
  #end: SessionEnd | undefined;
  #is_forgotten = false;

  constructor(info: ActivityInfo, parts: SessionParts) {
    const { shell, clock, size, limits, meter } = parts;
    this.id = info.id;
    this.server = info.server;
    this.#info_owner = info.owner;
    this.#parts = parts;
    this.#recording = parts.recording;
    this.#history = createHistory(size, parts.past?.output);
    this.#defer = parts.defer ?? queueMicrotask;
    const drawing = { screens: parts.screens, history: this.#history, clock, user_id: info.owner.user_id };
    this.#snapshot = createScreenSnapshots({ ...drawing, scrollback: true });
    this.#members = new Members({
      history: this.#history,
      snapshot: createScreenSnapshots({ ...drawing, scrollback: false }), // guests see nothing from before they joined
      after: clock.after,
      defer: this.#defer,
      isRecorded: () => this.is_recorded,
    });
    this.#input = createShellInput({ shell, meter, onInput: (member) => this.#typed(member) });
    this.#throttle = createShellThrottle(shell);
    this.#resizer = createResizer(clock.after, size, {
      apply: (now, by) => {
        this.#history.resized(now, by?.entry.role === 'guest');
        this.#recording?.resize(now);
        shell.resize(now);
      },
      update: (now, except) => this.#members.update({ kind: 'size', size: now }, except),
    });
    this.#idle = createIdleTimer(
      clock,
      () => limits.idle_ms,
      () => this.end(new Fault('idle_timeout')),
    );
    this.#owner_timer = createOwnerTimer({
      clock,
      resume_ms: () => limits.resume_ms,
      isReceiving: (has_progress) => this.#isOwnerReceiving(has_progress),
      onExpired: () => this.#ownerExpired(),
    });
    this.started_at = parts.past?.started_at ?? clock.now();
    this.#idle.start();
    if (parts.past) this.#owner_timer.start(RETURN_MS, parts.past.away_ms);
    else this.#owner_timer.start(FIRST_SOCKET_MS);
    shell.start({
      data: (bytes) => this.#output(bytes),
      drain: () => this.#input.resume(this.#members.all()),
      end: (end) => this.#over(end),
    });
  }

  get owner(): ActivityOwner {
    return this.#info_owner;
  }

  get resume_ms(): number {
    return this.#parts.limits.resume_ms;
  }

  get is_recorded(): boolean {
    return this.#recording !== undefined;
  }

  get has_owner(): boolean {
    return this.#members.owner !== undefined;
  }

  get is_over(): boolean {
    return this.#end !== undefined;
  }

  get last_activity(): Date {
    return this.#idle.last_activity();
  }

  get size(): PtySize {
    return this.#history.size();
  }

  /** How many members are attached. */
  get participants(): number {
    return this.#members.count;
  }

  /** Applies changed limits. */
  followLimits(): void {
    if (this.#end) return;
    this.#idle.start();
    if (!this.#members.owner) this.#owner_timer.restart();
    this.#changed();
  }

  /** Pauses the shell while the recording cannot keep up. */
  congest(is_congested: boolean): void {
    this.#throttle.setCongested(is_congested);
    this.#updateThrottle();
  }

  /** The recording has stopped; the session continues. */
  stopRecording(reason: RecordingStop): void {
    this.#recording = undefined;
    this.#throttle.setCongested(false);
    this.#members.update({ kind: 'recording', active: false });
    this.#members.update(recordingStopNotice(reason));
    this.#updateThrottle();
    this.#changed();
  }

  /**
   * Attaches the owner's socket and continues at `offset`, or with a screen snapshot when that offset is not kept. Takes
   * the session over from the owner's previous socket.
   */
  attachOwner(
    socket: MemberSocket,
    owner: ActivityOwner,
    { offset, mode = 'rw' }: { readonly offset: number | undefined; readonly mode?: ShareMode },
  ): Attachment {
    if (!this.#end) this.#owner_timer.cancel(); // after the end, the time to receive the remaining output goes on
    this.#owner_timer.progressed();
    this.#dismissOwner(new Fault('terminal_taken_over'));
    this.#info_owner = owner;
    const member: Member = {
      entry: { id: 'owner', username: owner.username, role: 'owner', mode },
      socket,
      output: createOutputFlow({
        socket,
        history: this.#history,
        progressed: () => {
          this.#owner_timer.progressed();
          this.#updateThrottle();
        },
        defer: this.#defer,
      }),
      has_begun: false,
    };
    this.#members.owner = member;
    beginOwnerOutput(member, offset, {
      history: this.#history,
      snapshot: this.#snapshot,
      isAttached: () => member === this.#members.owner,
      onShown: () => {
        this.#updateThrottle();
        this.#members.announceToGuests();
      },
    });
    if (this.#end) member.output.end(this.#end);
    this.#updateThrottle();
    this.#members.announceToGuests();
    this.#changed();
    return this.#attachmentOf(member, (how) => this.#ownerLeft(member, how));
  }

  /** Attaches a member other than the owner: a screen snapshot first, then the output. */
  attachGuest(socket: MemberSocket, guest: Guest, onLeft: () => void): Attachment {
    const { guests } = this.#members;
    const member = guests.add(socket, guest, onLeft);
    if (this.#end) guests.dismiss(({ id }) => id === guest.id, this.#end);
    this.#members.announce();
    return this.#attachmentOf(member, () => guests.leave(member));
  }

  /** Detaches the guests that match, with the fault as the reason. */
  dismiss(matches: (guest: Guest) => boolean, fault: Fault): void {
    this.#members.guests.dismiss(matches, { kind: 'refused', fault });
  }

  /** Applies the mode of the share to its guests. */
  limitGuests(mode: ShareMode): void {
    this.#members.guests.limit(mode);
  }

  guests(): Guest[] {
    return this.#members.guests.list();
  }

  /** Ends the session unless its owner is attached. */
  abandon(): void {
    if (!this.#members.owner) this.#over(undefined);
  }

  /** Ends the shell, with the fault as the reason for all members. */
  end(fault: Fault): void {
    if (this.#end) this.#endRemainingOutput(fault);
    else this.#over({ kind: 'refused', fault });
  }

  /** Leaves a kept shell to another process; false when the shell has ended, or ends with this process. */
  handOver(fault: Fault): boolean {
    const { keeping } = this.#parts.shell;
    if (!keeping || this.#end) return false;
    const sink = this.#recording;
    const release = async () => {
      await sink?.abandon();
      keeping.release();
    };
    this.#stop({ kind: 'refused', fault });
    this.#dismissOwner(fault);
    this.#members.guests.dismissAll(fault);
    this.#owner_timer.cancel();
    this.#is_forgotten = true;
    this.#parts.onHandedOver?.(release());
    return true;
  }

  #changed(): void {
    if (!this.#end) this.#parts.onChanged?.(this);
  }

  #output(bytes: Uint8Array): void {
    if (this.#end) return;
    this.#idle.active();
    this.#parts.meter.add('terminal_bytes_out', bytes.length);
    this.#history.append(bytes);
    this.#recording?.output(bytes);
    this.#members.push();
    this.#updateThrottle();
  }

  #updateThrottle(): void {
    this.#throttle.update(this.#members.owner?.output);
  }

  #typed({ entry }: Member): void {
    this.#idle.active();
    this.#members.typed(entry.id);
  }

  #attachmentOf(member: Member, detach: Attachment['detach']): Attachment {
    const isMember = () => !this.#end && this.#members.has(member);
    const mayType = () => isMember() && member.entry.mode === 'rw';
    const mayResize = () => isMember() && (member.entry.mode === 'rw' || member.entry.role === 'owner');
    return {
      input: (bytes) => !mayType() || this.#input.write(member, bytes),
      buffer: this.#input.createBuffer(member.entry.role),
      ignoreAcks: (is_ignored) => member.output.ignoreAcks(is_ignored),
      resize: (size) => {
        if (mayResize()) this.#resizer.resize(member, size);
      },
      ack: (bytes) => member.output.ack(bytes),
      detach,
    };
  }

  #ownerLeft(member: Member, how: 'closed' | 'dropped'): void {
    if (member !== this.#members.owner) return; // another socket has taken over
    member.output.close();
    this.#members.owner = undefined;
    if (this.#end) {
      // Output that was sent to a dropped connection may never have arrived.
      if (how === 'closed') this.#forget();
      else this.#owner_timer.start(0);
      return;
    }
    if (how === 'closed') {
      this.#over(undefined);
      return;
    }
    this.#updateThrottle();
    this.#owner_timer.start(0);
    this.#members.announce();
    this.#changed();
  }

  #isOwnerReceiving(has_progress: boolean): boolean {
    const { owner } = this.#members;
    return this.#end !== undefined && owner !== undefined && (has_progress || owner.output.hasEnded());
  }

  #ownerExpired(): void {
    if (this.#end)
      this.#endRemainingOutput(new Fault('terminal_ended', 'The last output was not received in time'));
    else this.#over(undefined);
  }

  /** Without an `end` the owner has left, and only guests are told. */
  #over(end: SessionEnd | undefined): void {
    if (this.#end) return;
    const why = end ?? { kind: 'refused', fault: new Fault('terminal_ended', 'The owner has left') };
    this.#stop(why);
    this.#owner_timer.limitTotal();
    void this.#recording?.end();
    if (why.kind !== 'exit') this.#parts.shell.close();
    this.#parts.onOver(this, end);
    if (why.kind === 'refused') this.#members.guests.dismissAll(why.fault);
    else this.#members.guests.finish(why);
    this.#finishOwner(why, end === undefined);
  }

  #stop(why: SessionEnd): void {
    this.#end = why;
    this.#idle.stop();
    this.#members.stop();
    this.#resizer.stop();
  }

  /** After an exit the owner still receives the remaining output, also after a reconnect; a refusal ends at once. */
  #finishOwner(end: SessionEnd, has_left: boolean): void {
    const { owner } = this.#members;
    if (end.kind === 'refused' && owner) dismissMember(owner, end.fault);
    else owner?.output.end(end);
    if (has_left || end.kind === 'refused') this.#forget();
    else if (owner) this.#owner_timer.startForRemainingOutput();
    else this.#owner_timer.start(0);
  }

  /** The shell has already ended: dismisses members who are still receiving the remaining output. */
  #endRemainingOutput(fault: Fault): void {
    if (this.#is_forgotten) return;
    this.#dismissOwner(fault);
    this.#members.guests.dismissAll(fault);
    this.#forget();
  }

  #dismissOwner(fault: Fault): void {
    const { owner } = this.#members;
    if (owner && !owner.output.hasEnded()) dismissMember(owner, fault);
  }

  #forget(): void {
    if (this.#is_forgotten) return;
    this.#is_forgotten = true;
    this.#owner_timer.cancel();
    this.#members.owner = undefined;
    this.#parts.onForgotten();
  }
}
