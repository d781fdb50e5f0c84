import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { TerminalHandle, Terminals } from '../terminals.ts';

/** What is typed in one of the chosen terminals goes to all of them. Nothing keeps it over a reload. */
export interface Broadcast {
  /** Those that receive; none, or at least two. */
  readonly members: Accessor<readonly TerminalHandle[]>;
  has(tab_id: string): boolean;
  start(tab_ids: readonly string[]): void;
  stop(): void;
  /** To one terminal, and to the others where it is one of the chosen. */
  send(handle: TerminalHandle, data: string | Uint8Array): void;
}

/** A shell is there, and may be typed to. */
export function canReceive(handle: TerminalHandle): boolean {
  return handle.session_id() !== undefined && handle.mode() === 'rw';
}

export function createBroadcast(terminals: Pick<Terminals, 'list'>): Broadcast {
  const [chosen, choose] = createSignal<ReadonlyMap<TerminalHandle, string>>(new Map());
  let unlisten: (() => void)[] = [];

  /** By session: a shell that is opened again was not chosen. */
  const members = () => {
    const sessions = chosen();
    const able = terminals.list().filter((one) => canReceive(one) && sessions.get(one) === one.session_id());
    return able.length > 1 ? able : [];
  };

  function stop(): void {
    for (const end of unlisten) end();
    unlisten = [];
    choose(new Map());
  }

  function start(tab_ids: readonly string[]): void {
    stop();
    const able = terminals.list().filter((one) => tab_ids.includes(one.tab_id) && canReceive(one));
    choose(new Map(able.map((one) => [one, one.session_id() ?? ''])));
    unlisten = able.map((one) => one.onTyped((data) => sendToOthers(members(), one, data)));
  }

  createEffect(() => {
    if (chosen().size > 0 && members().length === 0) stop();
  });
  onCleanup(stop);
  return {
    members,
    has: (tab_id) => members().some((one) => one.tab_id === tab_id),
    start,
    stop,
    send(handle, data) {
      handle.send(data);
      sendToOthers(members(), handle, data);
    },
  };
}

function sendToOthers(members: readonly TerminalHandle[], from: TerminalHandle, data: string | Uint8Array) {
  if (!members.includes(from) || (typeof data === 'string' && isReport(data))) return;
  for (const handle of members) if (handle !== from) handle.send(data);
}

// Device attributes and states, cursor position, focus, mouse, colours, window sizes: each terminal answers for itself.
const REPORT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are made of control characters
  /^(\x1b\[[?>=]?[\d;]*(c|n|\$y|R|t)|\x1b\[[IO]|\x1b\[<[\d;]+[Mm]|\x1b\[M[\s\S]{3}|\x1b[\]P][\s\S]*(\x07|\x1b\\))+$/;

/** What a terminal says of itself, which nobody has typed. */
export function isReport(data: string): boolean {
  return REPORT.test(data);
}
