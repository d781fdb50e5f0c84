import type { After } from '../../lib/timers.ts';
import type { ShareMode } from '../../model/terminal.ts';
import type { History } from './history.ts';
import { createOutlet, type OutletDeps } from './outlet.ts';
import type { Attendee, Guest, Present, SessionEnd, SessionNews } from './participant.ts';
import type { DrawnScreen } from './present-screen.ts';

const MOST_LAG_BYTES = 512 * 1024; // who lacks more is drawn a fresh screen
const REDRAW_BELOW_BYTES = 64 * 1024;
const GOODBYE_MS = 10_000; // to take what was said last
const REDRAW_AFTER_MS = 300; // drawing costs a thread some ten milliseconds

export const SCREEN_BLANK: SessionNews = {
  kind: 'notice',
  code: 'screen_blank',
  message: 'The present screen cannot be drawn; what comes is shown',
};

interface Visitor extends Present {
  readonly guest: Guest;
  readonly onLeft: () => void;
  /** What comes is not for it: its screen is to be drawn anew. */
  is_stale: boolean;
  is_drawing: boolean;
  /** The shell is over: told after what it said last. */
  goodbye: SessionEnd | undefined;
}

interface Deps {
  readonly history: History;
  /** Draws the present screen. */
  readonly screen: () => Promise<DrawnScreen>;
  readonly after: After;
  readonly defer: OutletDeps['defer'];
  /** Tells what a greeting does not. */
  readonly welcome: (attendee: Attendee) => void;
  /** Somebody has come to see it, or has gone. */
  readonly changed: () => void;
}

/** Everybody besides the owner: whoever is slow gets a fresh screen later, and holds nobody up. */
export class Visitors {
  readonly #all = new Map<string, Visitor>();
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#all.size;
  }

  list(): Present[] {
    return [...this.#all.values()];
  }

  guests(): Guest[] {
    return [...this.#all.values()].map(({ guest }) => guest);
  }

  has({ entry, attendee }: Present): boolean {
    return this.#all.get(entry.id)?.attendee === attendee;
  }

  add(attendee: Attendee, guest: Guest, onLeft: () => void): Present {
    const { id, username, role, mode } = guest;
    const visitor: Visitor = {
      entry: { id, username, role, mode },
      attendee,
      outlet: createOutlet({ ...this.#deps, attendee, moved: () => this.#moved(visitor) }),
      guest,
      onLeft,
      has_begun: false,
      is_stale: true,
      is_drawing: false,
      goodbye: undefined,
    };
    this.#all.set(id, visitor);
    void this.#draw(visitor);
    return visitor;
  }

  push(): void {
    for (const visitor of this.#all.values()) {
      if (visitor.is_stale) continue;
      visitor.outlet.push();
      if (visitor.outlet.lag() > MOST_LAG_BYTES) this.#fallBehind(visitor);
    }
  }

  leave(present: Present): void {
    if (!this.has(present)) return;
    this.#remove(present.entry.id);
    this.#deps.changed();
  }

  dismiss(matches: (guest: Guest) => boolean, end: SessionEnd): void {
    const gone = [...this.#all.values()].filter(({ guest }) => matches(guest));
    for (const { guest, attendee, outlet } of gone) {
      const has_ended = outlet.hasEnded();
      this.#remove(guest.id);
      if (!has_ended) attendee.ended(end);
    }
    if (gone.length > 0) this.#deps.changed();
  }

  /** Guests may do this much from now on, as far as they have asked for it. */
  limit(mode: ShareMode): void {
    for (const visitor of this.#all.values()) {
      const { role, wanted } = visitor.guest;
      const now = mode === 'ro' ? 'ro' : wanted;
      if (role !== 'guest' || visitor.entry.mode === now) continue;
      visitor.entry = { ...visitor.entry, mode: now };
      if (visitor.has_begun) visitor.attendee.tell({ kind: 'mode', mode: now });
    }
    this.#deps.changed();
  }

  /** The shell is over: what it said last still reaches whoever keeps up. */
  finish(end: SessionEnd): void {
    for (const visitor of [...this.#all.values()]) {
      visitor.goodbye = end;
      if (!visitor.is_stale) visitor.outlet.end(end);
      this.#deps.after(GOODBYE_MS, () => {
        if (this.has(visitor)) this.dismiss(({ id }) => id === visitor.guest.id, end);
      });
    }
  }

  #remove(id: string): void {
    const visitor = this.#all.get(id);
    if (!visitor) return;
    this.#all.delete(id);
    visitor.outlet.close();
    visitor.onLeft();
  }

  #fallBehind(visitor: Visitor): void {
    visitor.is_stale = true;
    visitor.outlet.hold();
    this.#moved(visitor);
  }

  /** Its peer has come further, or it has just fallen behind. */
  #moved(visitor: Visitor): void {
    if (!visitor.is_stale || visitor.is_drawing || visitor.outlet.unparsed() >= REDRAW_BELOW_BYTES) return;
    visitor.is_drawing = true;
    this.#deps.after(REDRAW_AFTER_MS, () => void this.#draw(visitor));
  }

  async #draw(visitor: Visitor): Promise<void> {
    if (!this.has(visitor)) return;
    visitor.is_drawing = true;
    const drawn = await this.#deps.screen();
    visitor.is_drawing = false;
    if (!this.has(visitor)) return;
    this.#show(visitor, drawn);
    this.#moved(visitor);
  }

  #show(visitor: Visitor, { offset, size, screen, is_blank }: DrawnScreen): void {
    const { history, changed } = this.#deps;
    const { attendee, outlet } = visitor;
    const is_first = !visitor.has_begun;
    if (is_first) attendee.begin({ offset, screen_bytes: screen.length, size });
    visitor.has_begun = true;
    if (is_blank) attendee.tell(SCREEN_BLANK);
    outlet.show(screen);
    visitor.is_stale = history.end() - offset > MOST_LAG_BYTES; // so much came while it was drawn
    if (!visitor.is_stale) outlet.start(offset);
    if (!visitor.is_stale && visitor.goodbye) outlet.end(visitor.goodbye);
    const now = history.size();
    if (now.cols !== size.cols || now.rows !== size.rows) attendee.tell({ kind: 'size', size: now });
    if (is_first) this.#deps.welcome(attendee);
    const { mode } = visitor.entry;
    if (is_first && mode !== visitor.guest.mode) attendee.tell({ kind: 'mode', mode });
    if (is_first) changed();
  }
}
