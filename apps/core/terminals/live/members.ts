import type { After } from '../../lib/time/timers.ts';
import { Guests } from './guests.ts';
import type { History } from './history.ts';
import { type Member, participantList } from './member.ts';
import type { SessionUpdate } from './member-socket.ts';
import type { OutputFlowDeps } from './output-flow.ts';
import type { ScreenSnapshot } from './screen-snapshots.ts';
import { createTypingIndicator, type TypingIndicator } from './typing.ts';

interface Deps {
  readonly history: History;
  /** Draws the screen that a guest starts with. */
  readonly snapshot: () => Promise<ScreenSnapshot>;
  readonly after: After;
  readonly defer: OutputFlowDeps['defer'];
  readonly isRecorded: () => boolean;
}

/** The owner, if attached, and all guests. */
export class Members {
  owner: Member | undefined;
  readonly guests: Guests;
  readonly #typing: TypingIndicator;

  constructor({ isRecorded, ...deps }: Deps) {
    this.#typing = createTypingIndicator(deps.after, () => this.announce());
    this.guests = new Guests({
      ...deps,
      welcome: (socket) => {
        if (isRecorded()) socket.update({ kind: 'recording', active: true });
      },
      changed: () => this.announce(),
    });
  }

  get count(): number {
    return this.guests.count + (this.owner ? 1 : 0);
  }

  all(): Member[] {
    return [...(this.owner ? [this.owner] : []), ...this.guests.members()];
  }

  has(member: Member): boolean {
    return member === this.owner || this.guests.has(member);
  }

  /** The history has grown. */
  push(): void {
    this.owner?.output.push();
    this.guests.push();
  }

  update(update: SessionUpdate, except?: Member): void {
    for (const member of this.all()) {
      if (member.has_begun && member !== except) member.socket.update(update);
    }
  }

  /** Sends everybody the participant list. */
  announce(): void {
    const members = this.all();
    const entries = members.map(({ entry }) => entry);
    for (const { entry, socket } of members.filter(({ has_begun }) => has_begun)) {
      const list = participantList(entry.id, entries, this.#typing.member_id());
      socket.update({ kind: 'participants', list });
    }
  }

  /** An owner alone needs no list. */
  announceToGuests(): void {
    if (this.guests.count > 0) this.announce();
  }

  typed(member_id: string): void {
    if (this.guests.count > 0) this.#typing.typed(member_id);
  }

  stop(): void {
    this.#typing.stop();
  }
}
