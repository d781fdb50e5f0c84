import { utf8 } from '../../lib/bytes/bytes.ts';
import { SCREEN_BLANK } from './guests.ts';
import type { History } from './history.ts';
import type { Member } from './member.ts';
import type { SessionUpdate } from './member-socket.ts';
import type { ScreenSnapshot } from './screen-snapshots.ts';

// For a terminal that may already show an earlier state of the session.
const ERASE_SCROLLBACK = utf8('\x18\x1b[?1049l\x1b[3J');

export const HISTORY_LOST: SessionUpdate = {
  kind: 'notice',
  code: 'history_lost',
  message: 'Output from while you were away was given up to save memory. This is the current screen.',
};

interface Deps {
  readonly input_bytes: number | undefined;
  readonly history: History;
  readonly snapshot: () => Promise<ScreenSnapshot>;
  /** False when another socket has taken over. */
  readonly isAttached: () => boolean;
  readonly onShown: () => void;
}

/** Continues the owner's output at `offset`, or with a screen snapshot when that offset is not kept. */
export function beginOwnerOutput(member: Member, offset: number | undefined, deps: Deps): void {
  const { socket, output } = member;
  const { start, end, size } = deps.history;
  const { input_bytes } = deps;
  if (offset === undefined || offset < start() || offset > end()) {
    output.reserve(end());
    void beginWithSnapshot(member, offset, deps);
    return;
  }
  socket.begin({ offset, screen_bytes: undefined, size: size(), input_bytes });
  member.has_begun = true;
  output.start(offset);
}

async function beginWithSnapshot(
  member: Member,
  asked_offset: number | undefined,
  deps: Deps,
): Promise<void> {
  const { socket, output } = member;
  const { offset, size, screen, is_blank } = await deps.snapshot();
  if (!deps.isAttached()) return;
  const shown = asked_offset === undefined && !is_blank ? concat(ERASE_SCROLLBACK, screen) : screen;
  socket.begin({ offset, screen_bytes: shown.length, size, input_bytes: deps.input_bytes });
  member.has_begun = true;
  if (is_blank) socket.update(SCREEN_BLANK);
  if (deps.history.takeLoss()) socket.update(HISTORY_LOST);
  output.show(shown);
  output.start(offset);
  deps.onShown();
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
