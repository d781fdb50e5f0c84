import { type Accessor, createSignal, onCleanup } from 'solid-js';

export const QUIET_MS = 10_000;

export type Finish =
  | { readonly kind: 'command'; readonly code: number | undefined }
  | { readonly kind: 'quiet' }
  | { readonly kind: 'ended' };

export interface FinishWatch {
  /** The user waits for the running command. */
  readonly is_on: Accessor<boolean>;
  set(is_on: boolean): void;
  /** Something was printed. */
  printed(): void;
  /** Shell integration, OSC 133 or 633: `C` when a command starts, `D;{code}` when it has finished. */
  told(data: string): void;
  ended(): void;
}

/** Finds out when a command has finished: from the shell, if it says so, or else when its output stops. */
export function createFinishWatch(finished: (how: Finish) => void): FinishWatch {
  const [is_on, setOn] = createSignal(false);
  let tells_commands = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function set(on: boolean): void {
    clearTimeout(timer);
    setOn(on);
  }
  function finish(how: Finish): void {
    if (!is_on()) return;
    set(false);
    finished(how);
  }
  onCleanup(() => clearTimeout(timer));

  return {
    is_on,
    set,
    printed() {
      if (!is_on() || tells_commands) return;
      clearTimeout(timer);
      timer = setTimeout(() => finish({ kind: 'quiet' }), QUIET_MS);
    },
    told(data) {
      const [, mark, code] = /^([CD])(?:;(\d{1,5}))?(?:;|$)/.exec(data) ?? [];
      if (mark === undefined) return;
      tells_commands = true;
      clearTimeout(timer);
      if (mark === 'D') finish({ kind: 'command', code: code === undefined ? undefined : Number(code) });
    },
    ended() {
      tells_commands = false;
      finish({ kind: 'ended' });
    },
  };
}
