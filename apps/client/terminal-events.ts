import type { GatewayClient } from './client.ts';
import type { LinkAim, TerminalSize } from './terminal-aim.ts';
import type { Ending, GatewayFrame, LinkError, PromptFrame } from './terminal-ending.ts';
import type { SocketConstructor } from './terminal-socket.ts';

/** What a gateway says besides answers to what it was asked. */
export type NewsFrame = Extract<
  GatewayFrame,
  { type: 'session' | 'stage' | 'joined' | 'mode' | 'size' | 'participants' | 'recording' | 'notice' }
>;

export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open'; readonly server: string; readonly session_id: string }
  | {
      readonly kind: 'reconnecting';
      readonly attempt: number;
      /** When the next attempt begins, by `Date.now()`; undefined while one is made. */
      readonly next_at: number | undefined;
      /** What the gateway said last, if anything. */
      readonly error: LinkError | undefined;
    }
  | { readonly kind: 'over'; readonly ending: Ending };

export interface LinkEvents {
  state(state: LinkState): void;
  output(bytes: Uint8Array): void;
  /** The host asks something before it opens a shell; wants one `answer`. Undefined: nothing is asked any more. */
  prompt?(prompt: PromptFrame | undefined): void;
  news?(frame: NewsFrame): void;
  round_trip?(ms: number): void;
  /** What was just typed is lost: too much waits for the next socket already. */
  overflow?(): void;
}

export interface LinkOptions {
  readonly client: GatewayClient;
  readonly aim: LinkAim;
  /** Undefined: not known yet; a session that runs keeps its own. */
  readonly size: TerminalSize | undefined;
  readonly events: LinkEvents;
  /** Calls back when the network or the person is here again; the answer stops that. */
  readonly onReturn?: (listener: () => void) => () => void;
  /** For runtimes that have none. */
  readonly WebSocket?: SocketConstructor;
}
