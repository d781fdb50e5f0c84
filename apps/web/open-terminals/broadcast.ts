import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import { isReport } from './reports.ts';
import type { TerminalHandle, Terminals } from './terminals.ts';

/** Sends input typed in one selected terminal to all of them. A reload ends it. */
export interface Broadcast {
  /** The receiving terminals: none, or at least two. */
  readonly members: Accessor<readonly TerminalHandle[]>;
  has(tab_id: string): boolean;
  start(tab_ids: readonly string[]): void;
  stop(): void;
  /** Sends to one terminal, and to the others if it is one of the selected. */
  send(handle: TerminalHandle, data: string | Uint8Array): void;
}

/** Whether there is a shell that accepts input. */
export function canReceive(handle: TerminalHandle): boolean {
  return handle.session_id() !== undefined && handle.mode() === 'rw';
}

export function createBroadcast(terminals: Pick<Terminals, 'list'>): Broadcast {
  const [chosen, choose] = createSignal<ReadonlyMap<TerminalHandle, string>>(new Map());
  let unlisten: (() => void)[] = [];

  /** By session: a newly opened shell was not selected. */
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
