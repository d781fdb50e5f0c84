const UNREAD_MS = 3000;

/** Notices that the gateway answers while the host takes none of what was typed. */
export interface Unread {
  /** The gateway says how much input the shell has been given in all, and so how much of it waits. */
  told(input: { readonly taken: number; readonly waiting: number }): void;
  stop(): void;
}

/** Calls `changed` with the number of bytes that wait, and with undefined once the host goes on. */
export function createUnread(changed: (bytes: number | undefined) => void): Unread {
  let since: { readonly at_ms: number; readonly taken: number } | undefined;
  let told: number | undefined;

  function stop(): void {
    since = undefined;
    if (told === undefined) return;
    told = undefined;
    changed(undefined);
  }

  return {
    told({ taken, waiting }) {
      if (waiting === 0 || (since && since.taken !== taken)) stop();
      if (waiting === 0) return;
      since ??= { at_ms: Date.now(), taken };
      if (waiting === told || Date.now() - since.at_ms < UNREAD_MS) return;
      told = waiting;
      changed(waiting);
    },
    stop,
  };
}
