import type { ActivityInfo, ActivityOwner, ActivityServer } from '../../activities/activity.ts';
import { Fault } from '../../errors.ts';
import type { HopConnection } from '../../model/hosts/hop-connection.ts';
import type { ShareMode } from '../../model/terminal.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Screens } from '../../ports/screens.ts';
import type { PtySize, Shell } from '../../ports/ssh.ts';
import { type RecordingSink, type RecordingStop, recordingStopNotice } from '../../recordings/sink.ts';
import { createAttachment } from './attachment.ts';
import { createHistory, type History } from './history.ts';
import type { Guest, Member } from './member.ts';
import type { Attachment, MemberSocket, SessionEnd } from './member-socket.ts';
import { Members } from './members.ts';
import type { OutputFlowDeps } from './output-flow.ts';
import { type OwnerAttaching, OwnerSeat } from './owner-seat.ts';
import { createResizer, type Resizer } from './resizer.ts';
import { createScreenSnapshots } from './screen-snapshots.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionPast } from './session-past.ts';
import { createIdleTimer, type IdleTimer } from './session-timers.ts';
import { createShellInput, type ShellInput } from './shell-input.ts';
import { createShellThrottle, type ShellThrottle } from './shell-throttle.ts';

export interface SessionParts {
  readonly shell: Shell;
  /** How the connection to each server on the way is protected; empty if an earlier version opened the shell. */
  readonly connection: readonly HopConnection[];
  readonly size: PtySize;
  readonly recording: RecordingSink | undefined;
  readonly limits: SessionLimits;
  readonly screens: Screens;
  readonly clock: Clock;
  readonly meter: Pick<Meter, 'add'>;
  readonly past?: SessionPast | undefined;
  /** The owner has come or gone, the recording has stopped, or the share or a limit has changed. */
  readonly onChanged?: (session: LiveSession) => void;
  /** Somebody has come or gone, or the history of a terminal without members has grown. */
  readonly onHistory?: (session: LiveSession) => void;
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
  readonly #history: History;
  readonly #members: Members;
  readonly #input: ShellInput;
  readonly #throttle: ShellThrottle;
  readonly #resizer: Resizer;
  readonly #idle: IdleTimer;
  readonly #owner: OwnerSeat;
  #recording: RecordingSink | undefined;
  #end: SessionEnd | undefined;

  constructor(info: ActivityInfo, parts: SessionParts) {
    const { shell, clock, size, limits, meter } = parts;
    this.id = info.id;
    this.server = info.server;
    this.#info_owner = info.owner;
    this.#parts = parts;
    this.#recording = parts.recording;
    this.#history = createHistory(size, parts.past?.output);
    const defer = parts.defer ?? queueMicrotask;
    const drawing = { screens: parts.screens, history: this.#history, clock, user_id: info.owner.user_id };
    this.#members = new Members({
      history: this.#history,
      snapshot: createScreenSnapshots({ ...drawing, scrollback: false }), // guests see nothing from before they joined
      after: clock.after,
      defer,
      isRecorded: () => this.is_recorded,
    });
    this.#input = createShellInput({ shell, meter, onInput: (member) => this.#typed(member) });
    this.#throttle = createShellThrottle(shell);
    this.#resizer = createResizer(clock.after, size, {
      apply: (now, by) => this.#resized(now, by),
      update: (now, except) => this.#members.update({ kind: 'size', size: now }, except),
    });
    this.#idle = createIdleTimer(
      clock,
      () => limits.idle_ms,
      () => this.end(new Fault('idle_timeout')),
    );
    this.#owner = new OwnerSeat({
      ...{ members: this.#members, history: this.#history, clock, defer, limits },
      snapshot: createScreenSnapshots({ ...drawing, scrollback: true }),
      end: () => this.#end,
      updateThrottle: () => this.#updateThrottle(),
      onChanged: () => this.#changed(),
      onLeft: () => this.#over(undefined),
      onForgotten: parts.onForgotten,
    });
    this.started_at = parts.past?.started_at ?? clock.now();
    this.#idle.start();
    this.#owner.await(parts.past);
    shell.start({
      data: (bytes) => this.#output(bytes),
      drain: () => this.#input.resume(this.#members.all()),
      end: (end) => this.#over(end),
    });
  }

  get owner(): ActivityOwner {
    return this.#info_owner;
  }

  get connection(): readonly HopConnection[] {
    return this.#parts.connection;
  }

  get resume_ms(): number {
    return this.#parts.limits.resume_ms;
  }

  get is_recorded(): boolean {
    return this.#recording !== undefined;
  }

  /** The shell goes on when this process ends. */
  get is_kept(): boolean {
    return this.#parts.shell.keeping !== undefined;
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

  get history(): Pick<History, 'size_bytes' | 'keepLittle' | 'keepAll'> {
    return this.#history;
  }

  /** Applies changed limits. */
  followLimits(): void {
    if (this.#end) return;
    this.#idle.start();
    this.#owner.followLimits();
    this.#changed();
  }

  /** Its terms may have changed, too. */
  shareChanged(): void {
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

  /** Throws `terminal_in_use` if another client of the owner is attached and is not to be taken over. */
  assertFree(client: Pick<MemberSocket, 'client_id'>, attaching: Pick<OwnerAttaching, 'take_over'>): void {
    this.#owner.assertFree(client, attaching);
  }

  /** Continues at `offset`, or with a screen when that is not kept. Takes over from the owner's previous socket. Throws `terminal_in_use`. */
  attachOwner(socket: MemberSocket, owner: ActivityOwner, attaching: OwnerAttaching): Attachment {
    this.assertFree(socket, attaching);
    this.#info_owner = owner;
    const member = this.#owner.attach(socket, owner, attaching);
    this.#parts.onHistory?.(this);
    return this.#attachmentOf(member, (how) => this.#owner.left(member, how));
  }

  /** Attaches a member other than the owner: a screen snapshot first, then the output. */
  attachGuest(socket: MemberSocket, guest: Guest, onLeft: () => void): Attachment {
    const { guests } = this.#members;
    const member = guests.add(socket, guest, onLeft);
    if (this.#end) guests.dismiss(({ id }) => id === guest.id, this.#end);
    this.#members.announce();
    this.#parts.onHistory?.(this);
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
    if (this.#end) this.#owner.endRemainingOutput(fault);
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
    this.#owner.dismiss(fault);
    this.#members.guests.dismissAll(fault);
    this.#owner.handOver();
    this.#parts.onHandedOver?.(release());
    return true;
  }

  #changed(): void {
    if (!this.#end) this.#parts.onChanged?.(this);
  }

  #resized(size: PtySize, by: Member | undefined): void {
    this.#history.resized(size, by?.entry.role === 'guest');
    this.#recording?.resize(size);
    this.#parts.shell.resize(size);
  }

  #output(bytes: Uint8Array): void {
    if (this.#end) return;
    this.#idle.active();
    this.#parts.meter.add('terminal_bytes_out', bytes.length);
    this.#keep(bytes);
    this.#recording?.output(bytes);
    this.#members.push();
    this.#updateThrottle();
  }

  #keep(bytes: Uint8Array): void {
    const before = this.#history.size_bytes();
    this.#history.append(bytes);
    const has_grown = this.#history.size_bytes() > before;
    if (has_grown && this.#members.count === 0) this.#parts.onHistory?.(this);
  }

  #updateThrottle(): void {
    this.#throttle.update(this.#members.owner?.output);
  }

  #typed({ entry }: Member): void {
    this.#idle.active();
    this.#members.typed(entry.id);
  }

  #attachmentOf(member: Member, detach: Attachment['detach']): Attachment {
    const session = {
      ...{ members: this.#members, owner: this.#owner, input: this.#input, resizer: this.#resizer },
      isOver: () => this.is_over,
    };
    return createAttachment(session, member, (how) => {
      detach(how);
      this.#parts.onHistory?.(this);
    });
  }

  /** Without an `end` the owner has left, and only guests are told. */
  #over(end: SessionEnd | undefined): void {
    if (this.#end) return;
    const why = end ?? { kind: 'refused', fault: new Fault('terminal_ended', 'The owner has left') };
    this.#stop(why);
    this.#owner.limitTotal();
    void this.#recording?.end();
    if (why.kind !== 'exit') this.#parts.shell.close();
    this.#parts.onOver(this, end);
    if (why.kind === 'refused') this.#members.guests.dismissAll(why.fault);
    else this.#members.guests.finish(why);
    this.#owner.finish(why, end === undefined);
  }

  #stop(why: SessionEnd): void {
    this.#end = why;
    this.#idle.stop();
    this.#members.stop();
    this.#resizer.stop();
  }
}
