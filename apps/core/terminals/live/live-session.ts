import { Fault } from '../../errors.ts';
import { utf8 } from '../../lib/bytes.ts';
import { flowFor } from '../../lib/watermark.ts';
import type { Credential } from '../../model/caller.ts';
import type { ParticipantInfo, ShareMode } from '../../model/terminal.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Screens } from '../../ports/screens.ts';
import type { PtySize, Shell } from '../../ports/ssh.ts';
import { createHistory, type History } from './history.ts';
import { createOutlet, MAX_UNPARSED_BYTES, type OutletDeps } from './outlet.ts';
import type { Attendee, Guest, Present, Seat, SessionEnd, SessionNews } from './participant.ts';
import { createPresentScreen, type DrawnScreen } from './present-screen.ts';
import { createResizer, type Resizer } from './resizer.ts';
import { createTyping, rosterFor, type Typing } from './roster.ts';
import type { Tape, TapeStop } from './tape.ts';
import { SCREEN_BLANK, Visitors } from './visitors.ts';

// At most 1 MiB is ever unparsed: the packet that is being taken still has its room.
const UNPARSED_MARKS = { high_bytes: MAX_UNPARSED_BYTES - 64 * 1024, low_bytes: 512 * 1024 };
const UNSENT_MARKS = { high_bytes: 192 * 1024, low_bytes: 64 * 1024 };
const MOST_HELD_BYTES = { owner: 16 * 1024 * 1024, others: 8 * 1024 * 1024 };
const KEYS_BYTES = 64 * 1024; // whoever only types is read on, though another has filled all
const LAST_TAKING_MS = 60_000; // over a slow line
const LAST_CALL_MS = 15 * 60_000; // however often its owner comes and goes
const FIRST_SOCKET_MS = 5000; // the one that asked for it

// Of a terminal that may show some of it already.
const ERASE_SCROLLBACK = utf8('\x18\x1b[?1049l\x1b[3J');

export interface SessionOwner {
  readonly user_id: number;
  readonly username: string;
  /** What it was opened or last resumed with: its end is the terminal's. */
  readonly credential: Credential;
}

export interface SessionServer {
  /** Null for quick connect. */
  readonly id: number | null;
  readonly name: string;
  /** What the record was when a transfer began; it does not outlive an edit. */
  readonly revision?: string;
}

export interface LiveSessionInfo {
  readonly id: string;
  readonly owner: SessionOwner;
  readonly server: SessionServer;
}

/** Looked at each time they matter: they may change while it runs. */
export interface SessionLimits {
  /** So long the shell outlives its owner's socket. */
  readonly resume_ms: number;
  /** Without input and output; undefined: for ever. */
  readonly idle_ms: number | undefined;
}

export interface SessionParts {
  readonly shell: Shell;
  readonly size: PtySize;
  readonly tape: Tape | undefined;
  readonly limits: SessionLimits;
  readonly screens: Screens;
  readonly clock: Clock;
  readonly meter: Pick<Meter, 'add'>;
  /** The shell is over; without an end, because its owner left. */
  readonly onOver: (session: LiveSession, end: SessionEnd | undefined) => void;
  /** Runs at the end of what is being done now; without it as a microtask. */
  readonly defer?: OutletDeps['defer'];
  /** Nobody can come back for what it showed last. */
  readonly onForgotten: () => void;
}

/** A running shell and everybody who is attached to it; knows neither sockets nor SSH. */
export class LiveSession {
  readonly use = 'terminal';
  readonly live = true;
  readonly id: string;
  readonly server: SessionServer;
  readonly started_at: Date;
  #owner: SessionOwner;
  #seat: Present | undefined;
  readonly #visitors: Visitors;
  readonly #screen: () => Promise<DrawnScreen>;
  readonly #parts: SessionParts;
  readonly #history: History;
  readonly #defer: OutletDeps['defer'];
  readonly #typing: Typing;
  readonly #resizer: Resizer;
  #resized_by: Present | undefined;
  #tape: Tape | undefined;
  #is_paused = false;
  #is_congested = false;
  #is_full = false; // the shell takes no input
  readonly #held_bytes = { owner: 0, others: 0 }; // of input
  #active_ms: number;
  #activity: { readonly elapsed_ms: number; readonly at: Date } | undefined; // as last told
  #end: SessionEnd | undefined;
  #is_taking = false; // its owner, of what was kept
  #last_call_ms = Number.POSITIVE_INFINITY;
  #is_forgotten = false;
  #cancelIdle: (() => void) | undefined;
  #cancelAway: (() => void) | undefined;
  #awaited = { since_ms: 0, least_ms: 0 }; // its owner

  constructor(info: LiveSessionInfo, parts: SessionParts) {
    const { clock, size, tape } = parts;
    this.id = info.id;
    this.server = info.server;
    this.#owner = info.owner;
    this.#parts = parts;
    this.#tape = tape;
    this.#history = createHistory(size);
    this.#defer = parts.defer ?? queueMicrotask;
    const drawing = { screens: parts.screens, history: this.#history, clock, user_id: info.owner.user_id };
    this.#screen = createPresentScreen({ ...drawing, scrollback: true });
    this.#visitors = new Visitors({
      history: this.#history,
      screen: createPresentScreen({ ...drawing, scrollback: false }), // what was before them is not theirs
      after: clock.after,
      defer: this.#defer,
      welcome: (attendee) => {
        if (this.is_recorded) attendee.tell({ kind: 'recording', active: true });
      },
      changed: () => this.#announce(),
    });
    this.#resizer = createResizer(clock.after, size, (now) => this.#resized(now));
    this.#typing = createTyping(clock.after, () => this.#announce());
    this.started_at = clock.now();
    this.#active_ms = clock.elapsed_ms();
    this.#watchIdle();
    this.#away(FIRST_SOCKET_MS);
    parts.shell.start({
      data: (bytes) => this.#output(bytes),
      drain: () => this.#drain(),
      end: (end) => this.#over(end),
    });
  }

  get owner(): SessionOwner {
    return this.#owner;
  }

  get resume_ms(): number {
    return this.#parts.limits.resume_ms;
  }

  get is_recorded(): boolean {
    return this.#tape !== undefined;
  }

  get is_over(): boolean {
    return this.#end !== undefined;
  }

  get last_activity(): Date {
    const elapsed_ms = this.#active_ms;
    if (this.#activity?.elapsed_ms !== elapsed_ms) {
      const at = new Date(this.#parts.clock.now().getTime() - (this.#now() - elapsed_ms));
      this.#activity = { elapsed_ms, at };
    }
    return this.#activity.at;
  }

  get size(): PtySize {
    return this.#history.size();
  }

  /** How many are attached. */
  get participants(): number {
    return this.#visitors.count + (this.#seat ? 1 : 0);
  }

  /** They have changed. */
  followLimits(): void {
    if (this.#end) return;
    this.#watchIdle();
    if (!this.#seat) this.#waitForOwner();
  }

  /** Its recording lags behind: the shell waits. */
  congest(is_congested: boolean): void {
    this.#is_congested = is_congested;
    this.#steer();
  }

  /** Nothing is recorded any more; the session goes on. */
  stopTape(why: TapeStop): void {
    this.#tape = undefined;
    this.#is_congested = false;
    this.#tell({ kind: 'recording', active: false });
    this.#tell({ kind: 'notice', code: `recording_${why}`, message: STOPPED[why] });
    this.#steer();
  }

  /**
   * The owner's socket, from `offset` on; without one that is kept it gets the present screen. Whoever sat there before
   * is told that it goes on elsewhere.
   */
  attachOwner(attendee: Attendee, owner: SessionOwner, offset: number | undefined): Seat {
    if (!this.#end) this.#cancelAway?.(); // else the time for what was said last goes on, as long as it is taken
    this.#is_taking = true;
    if (!this.#seat?.outlet.hasEnded()) this.#dismiss(this.#seat, new Fault('terminal_taken_over'));
    this.#owner = owner;
    const seat: Present = {
      entry: { id: 'owner', username: owner.username, role: 'owner', mode: 'rw' },
      attendee,
      outlet: createOutlet({
        attendee,
        history: this.#history,
        moved: () => {
          this.#is_taking = true;
          this.#steer();
        },
        defer: this.#defer,
      }),
      has_begun: false,
    };
    this.#seat = seat;
    this.#begin(seat, offset);
    if (this.#end) seat.outlet.end(this.#end);
    this.#steer();
    if (this.#visitors.count > 0) this.#announce();
    return this.#seatOf(seat, (how) => this.#ownerLeft(seat, how));
  }

  /** Somebody besides the owner: the present screen, then what comes. */
  attachGuest(attendee: Attendee, guest: Guest, onLeft: () => void): Seat {
    const visitor = this.#visitors.add(attendee, guest, onLeft);
    if (this.#end) this.#visitors.dismiss(({ id }) => id === guest.id, this.#end);
    this.#announce();
    return this.#seatOf(visitor, () => this.#visitors.leave(visitor));
  }

  /** Detaches the guests that match, telling them why. */
  dismiss(matches: (guest: Guest) => boolean, fault: Fault): void {
    this.#visitors.dismiss(matches, { kind: 'refused', fault });
  }

  /** What a share allows by now; who may do less or more is told. */
  limitGuests(mode: ShareMode): void {
    this.#visitors.limit(mode);
  }

  guests(): Guest[] {
    return this.#visitors.guests();
  }

  /** Its owner has left for good, unless they sit here by now. */
  abandon(): void {
    if (!this.#seat) this.#over(undefined);
  }

  /** Ends the shell; everybody is told why. */
  end(fault: Fault): void {
    if (this.#end) this.#endFarewell(fault);
    else this.#over({ kind: 'refused', fault });
  }

  #begin(seat: Present, offset: number | undefined): void {
    const { attendee, outlet } = seat;
    const { start, end, size } = this.#history;
    if (offset === undefined || offset < start() || offset > end()) {
      outlet.reserve(end());
      void this.#screen().then((drawn) => {
        const is_anew = offset === undefined && !drawn.is_blank;
        this.#show(seat, is_anew ? { ...drawn, screen: joined(ERASE_SCROLLBACK, drawn.screen) } : drawn);
      });
      return;
    }
    attendee.begin({ offset, screen_bytes: undefined, size: size() });
    seat.has_begun = true;
    outlet.start(offset);
  }

  /** To an owner who has missed more than is kept. */
  #show(seat: Present, { offset, size, screen, is_blank }: DrawnScreen): void {
    const { attendee, outlet } = seat;
    if (seat !== this.#seat) return;
    attendee.begin({ offset, screen_bytes: screen.length, size });
    seat.has_begun = true;
    if (is_blank) attendee.tell(SCREEN_BLANK);
    outlet.show(screen);
    outlet.start(offset);
    this.#steer();
    if (this.#visitors.count > 0) this.#announce();
  }

  #output(bytes: Uint8Array): void {
    if (this.#end) return;
    this.#active_ms = this.#now();
    this.#parts.meter.add('terminal_bytes_out', bytes.length);
    this.#history.append(bytes);
    this.#tape?.output(bytes);
    this.#seat?.outlet.push();
    this.#visitors.push();
    this.#steer();
  }

  /** Only the owner's terminal and the recording hold the shell back; while the owner is away it runs on. */
  #steer(): void {
    const outlet = this.#seat?.outlet;
    const flows = [
      flowFor(outlet?.unparsed() ?? 0, this.#is_paused, UNPARSED_MARKS),
      flowFor(outlet?.unsent() ?? 0, this.#is_paused, UNSENT_MARKS),
    ];
    const wants_pause = this.#is_congested || flows.includes('pause');
    if (wants_pause && !this.#is_paused) this.#pause(true);
    else if (this.#is_paused && !wants_pause && flows.every((flow) => flow === 'resume')) this.#pause(false);
  }

  #pause(is_paused: boolean): void {
    this.#is_paused = is_paused;
    if (is_paused) this.#parts.shell.pause();
    else this.#parts.shell.resume();
  }

  #seatOf(present: Present, left: (how: 'closed' | 'dropped') => void): Seat {
    const isHere = () => present === this.#seat || this.#visitors.has(present);
    const mayType = () => !this.#end && isHere() && present.entry.mode === 'rw';
    let own_bytes = 0;
    return {
      input: (bytes) => !mayType() || this.#input(present, bytes),
      hold: (bytes) => {
        const side = present.entry.role === 'owner' ? 'owner' : 'others'; // nobody fills the owner's
        own_bytes += bytes;
        this.#held_bytes[side] += bytes;
        return own_bytes <= KEYS_BYTES || this.#held_bytes[side] <= MOST_HELD_BYTES[side];
      },
      deafen: (is_deaf) => present.outlet.deafen(is_deaf),
      resize: (size) => {
        if (mayType()) this.#resize(present, size);
      },
      ack: (bytes) => present.outlet.ack(bytes),
      leave: left,
    };
  }

  /** Whoever comes while the host takes nothing waits as well: each would add to what is kept for it. */
  #input({ entry, attendee }: Present, bytes: Uint8Array): boolean {
    if (this.#is_full) {
      attendee.pauseInput();
      return false;
    }
    this.#active_ms = this.#now();
    if (this.#visitors.count > 0) this.#typing.typed(entry.id);
    this.#parts.meter.add('terminal_bytes_in', bytes.length);
    this.#is_full = !this.#parts.shell.write(bytes);
    if (this.#is_full) attendee.pauseInput();
    return true;
  }

  #drain(): void {
    this.#is_full = false;
    for (const { attendee } of this.#everybody()) attendee.resumeInput();
  }

  #resize(by: Present, size: PtySize): void {
    const overruled = this.#resized_by;
    this.#resized_by = by;
    const { cols, rows } = this.#history.size();
    this.#resizer.resize(size);
    // Nothing changes for the session; whoever wanted another size a moment ago has it on their screen.
    if (overruled !== by && size.cols === cols && size.rows === rows) this.#tell({ kind: 'size', size }, by);
  }

  #resized(size: PtySize): void {
    this.#history.resized(size);
    this.#tape?.resize(size);
    this.#parts.shell.resize(size);
    this.#tell({ kind: 'size', size }, this.#resized_by);
  }

  #tell(news: SessionNews, except?: Present): void {
    for (const one of this.#everybody()) if (one.has_begun && one !== except) one.attendee.tell(news);
  }

  #announce(): void {
    const everybody = this.#everybody();
    const entries = everybody.map(({ entry }) => entry);
    for (const { entry, attendee } of everybody.filter(({ has_begun }) => has_begun)) {
      const list: ParticipantInfo[] = rosterFor(entry.id, entries, this.#typing.typist());
      attendee.tell({ kind: 'participants', list });
    }
  }

  #everybody(): Present[] {
    return [...(this.#seat ? [this.#seat] : []), ...this.#visitors.list()];
  }

  #ownerLeft(seat: Present, how: 'closed' | 'dropped'): void {
    if (seat !== this.#seat) return; // taken over meanwhile
    seat.outlet.close();
    this.#seat = undefined;
    if (this.#end) {
      // What was handed to a connection that breaks may never have come out of it.
      if (how === 'closed') this.#forget();
      else this.#away();
      return;
    }
    if (how === 'closed') {
      this.#over(undefined);
      return;
    }
    this.#steer();
    this.#away();
    this.#announce();
  }

  /** Its owner may come back, or go on taking what the shell said last. */
  #away(least_ms = this.#seat ? LAST_TAKING_MS : 0): void {
    this.#is_taking = false;
    this.#awaited = { since_ms: this.#now(), least_ms };
    this.#waitForOwner();
  }

  #waitForOwner(): void {
    this.#cancelAway?.();
    const { since_ms, least_ms } = this.#awaited;
    const until_ms = Math.min(since_ms + Math.max(least_ms, this.resume_ms), this.#last_call_ms);
    this.#cancelAway = this.#parts.clock.after(Math.max(0, until_ms - this.#now()), () => {
      if (this.#isTakingLeave() && this.#now() < this.#last_call_ms) this.#away();
      else if (this.#end)
        this.#endFarewell(new Fault('terminal_ended', 'What the shell said last was not taken'));
      else this.#over(undefined);
    });
  }

  /** Goes on taking what the shell said last, or was told all of it and answers yet. */
  #isTakingLeave(): boolean {
    if (!this.#end || !this.#seat) return false;
    return this.#is_taking || this.#seat.outlet.hasEnded();
  }

  /** Without an end its owner has left: nobody has to be told but the guests. */
  #over(end: SessionEnd | undefined): void {
    if (this.#end) return;
    this.#end = end ?? { kind: 'refused', fault: new Fault('terminal_ended', 'Its owner has left') };
    this.#last_call_ms = this.#now() + Math.max(LAST_CALL_MS, this.resume_ms);
    this.#cancelIdle?.();
    this.#typing.stop();
    this.#resizer.stop();
    this.#tape?.end();
    if (this.#end.kind !== 'exit') this.#parts.shell.close();
    this.#parts.onOver(this, end);
    if (this.#end.kind === 'refused') this.#visitors.dismiss(() => true, this.#end);
    else this.#visitors.finish(this.#end);
    this.#farewell(this.#end, end === undefined);
  }

  /** What the shell said last still reaches its owner, also one who comes back for it; what others ended is over at once. */
  #farewell(end: SessionEnd, has_left: boolean): void {
    if (end.kind === 'refused') this.#dismiss(this.#seat, end.fault);
    else this.#seat?.outlet.end(end);
    if (has_left || end.kind === 'refused') this.#forget();
    else this.#away();
  }

  /** The shell is over already: whoever still takes what it said last is told to go. */
  #endFarewell(fault: Fault): void {
    if (this.#is_forgotten) return;
    if (!this.#seat?.outlet.hasEnded()) this.#dismiss(this.#seat, fault);
    this.#visitors.dismiss(() => true, { kind: 'refused', fault });
    this.#forget();
  }

  #dismiss(present: Present | undefined, fault: Fault): void {
    if (!present) return;
    present.outlet.close();
    present.attendee.ended({ kind: 'refused', fault });
  }

  #forget(): void {
    if (this.#is_forgotten) return;
    this.#is_forgotten = true;
    this.#cancelAway?.();
    this.#seat = undefined;
    this.#parts.onForgotten();
  }

  #watchIdle(): void {
    const { limits, clock } = this.#parts;
    const { idle_ms } = limits;
    this.#cancelIdle?.();
    if (idle_ms === undefined) return;
    const rest_ms = this.#active_ms + idle_ms - this.#now();
    this.#cancelIdle = clock.after(Math.max(1, rest_ms), () => {
      if (this.#now() - this.#active_ms >= idle_ms) this.end(new Fault('idle_timeout'));
      else this.#watchIdle();
    });
  }

  #now(): number {
    return this.#parts.clock.elapsed_ms();
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

const STOPPED: Readonly<Record<TapeStop, string>> = {
  limit: 'The recording has reached its limit and ends here',
  disk_full: 'The recording ends here: the disk of the gateway is full',
  failed: 'The recording ends here: it cannot be written',
};
