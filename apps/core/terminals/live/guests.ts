import type { Fault } from '../../errors.ts';
import type { After } from '../../lib/time/timers.ts';
import type { ShareMode } from '../../model/terminal.ts';
import type { History } from './history.ts';
import type { Guest, Member } from './member.ts';
import type { MemberSocket, SessionEnd, SessionUpdate } from './member-socket.ts';
import { createOutputFlow, type OutputFlowDeps } from './output-flow.ts';
import type { ScreenSnapshot } from './screen-snapshots.ts';

const MAX_LAG_BYTES = 512 * 1024; // beyond this a guest gets a fresh screen instead
const REDRAW_BELOW_BYTES = 64 * 1024;
const REMAINING_OUTPUT_MS = 10_000; // to receive the last output
const REDRAW_AFTER_MS = 300; // drawing occupies a thread for about ten milliseconds

export const SCREEN_BLANK: SessionUpdate = {
  kind: 'notice',
  code: 'screen_blank',
  message: 'The current screen cannot be drawn. New output will appear.',
};

interface GuestMember extends Member {
  readonly guest: Guest;
  readonly onLeft: () => void;
  /** Receives no output until its screen has been redrawn. */
  is_stale: boolean;
  is_drawing: boolean;
  /** The shell has ended; sent after the last output. */
  pending_end: SessionEnd | undefined;
}

interface Deps {
  readonly history: History;
  readonly snapshot: () => Promise<ScreenSnapshot>;
  readonly after: After;
  readonly defer: OutputFlowDeps['defer'];
  /** Sends what the first frame does not contain. */
  readonly welcome: (socket: MemberSocket) => void;
  /** A guest has joined, left or changed mode. */
  readonly changed: () => void;
}

/** All members except the owner. A slow guest gets a fresh screen later and never slows the shell down. */
export class Guests {
  readonly #all = new Map<string, GuestMember>();
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#all.size;
  }

  members(): Member[] {
    return [...this.#all.values()];
  }

  list(): Guest[] {
    return [...this.#all.values()].map(({ guest }) => guest);
  }

  has({ entry, socket }: Member): boolean {
    return this.#all.get(entry.id)?.socket === socket;
  }

  add(socket: MemberSocket, guest: Guest, onLeft: () => void): Member {
    const { id, username, role, mode } = guest;
    const member: GuestMember = {
      entry: { id, username, role, mode },
      socket,
      output: createOutputFlow({ ...this.#deps, socket, progressed: () => this.#redrawIfStale(member) }),
      guest,
      onLeft,
      has_begun: false,
      is_stale: true,
      is_drawing: false,
      pending_end: undefined,
    };
    this.#all.set(id, member);
    void this.#draw(member);
    return member;
  }

  /** The history has grown. */
  push(): void {
    for (const member of this.#all.values()) {
      if (member.is_stale) continue;
      member.output.push();
      if (member.output.lag() > MAX_LAG_BYTES) this.#markStale(member);
    }
  }

  leave(member: Member): void {
    if (!this.has(member)) return;
    this.#remove(member.entry.id);
    this.#deps.changed();
  }

  dismiss(matches: (guest: Guest) => boolean, end: SessionEnd): void {
    const dismissed = [...this.#all.values()].filter(({ guest }) => matches(guest));
    for (const { guest, socket, output } of dismissed) {
      const has_ended = output.hasEnded();
      this.#remove(guest.id);
      if (!has_ended) socket.ended(end);
    }
    if (dismissed.length > 0) this.#deps.changed();
  }

  dismissAll(fault: Fault): void {
    this.dismiss(() => true, { kind: 'refused', fault });
  }

  /** Changes the mode of guests of the share, up to the mode that each asked for. */
  limit(mode: ShareMode): void {
    for (const member of this.#all.values()) {
      const { role, wanted } = member.guest;
      const now = mode === 'ro' ? 'ro' : wanted;
      if (role !== 'guest' || member.entry.mode === now) continue;
      member.entry = { ...member.entry, mode: now };
      if (member.has_begun) member.socket.update({ kind: 'mode', mode: now });
    }
    this.#deps.changed();
  }

  /** The shell has ended: guests still receive the remaining output, for a limited time. */
  finish(end: SessionEnd): void {
    for (const member of [...this.#all.values()]) {
      member.pending_end = end;
      if (!member.is_stale) member.output.end(end);
      this.#deps.after(REMAINING_OUTPUT_MS, () => {
        if (this.has(member)) this.dismiss(({ id }) => id === member.guest.id, end);
      });
    }
  }

  #remove(id: string): void {
    const member = this.#all.get(id);
    if (!member) return;
    this.#all.delete(id);
    member.output.close();
    member.onLeft();
  }

  #markStale(member: GuestMember): void {
    member.is_stale = true;
    member.output.hold();
    this.#redrawIfStale(member);
  }

  /** Redraws once the guest has received most of what was sent before. */
  #redrawIfStale(member: GuestMember): void {
    if (!member.is_stale || member.is_drawing || member.output.unparsed() >= REDRAW_BELOW_BYTES) return;
    member.is_drawing = true;
    this.#deps.after(REDRAW_AFTER_MS, () => void this.#draw(member));
  }

  async #draw(member: GuestMember): Promise<void> {
    if (!this.has(member)) return;
    member.is_drawing = true;
    const snapshot = await this.#deps.snapshot();
    member.is_drawing = false;
    if (!this.has(member)) return;
    this.#show(member, snapshot);
    this.#redrawIfStale(member);
  }

  #show(member: GuestMember, { offset, size, screen, is_blank }: ScreenSnapshot): void {
    const { history, changed } = this.#deps;
    const { socket, output } = member;
    const is_first = !member.has_begun;
    if (is_first) socket.begin({ offset, screen_bytes: screen.length, size });
    member.has_begun = true;
    if (is_blank) socket.update(SCREEN_BLANK);
    output.show(screen);
    member.is_stale = history.end() - offset > MAX_LAG_BYTES; // the host sent that much during drawing
    if (!member.is_stale) output.start(offset);
    if (!member.is_stale && member.pending_end) output.end(member.pending_end);
    const now = history.size();
    if (now.cols !== size.cols || now.rows !== size.rows) socket.update({ kind: 'size', size: now });
    if (is_first) this.#deps.welcome(socket);
    const { mode } = member.entry;
    if (is_first && mode !== member.guest.mode) socket.update({ kind: 'mode', mode });
    if (is_first) changed();
  }
}
