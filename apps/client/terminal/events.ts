import type { GatewayClient } from '../client.ts';
import type { Ending, GatewayFrame, LinkError, PromptFrame } from './ending.ts';
import type { TerminalSize, TerminalTarget } from './target.ts';

/** Frames that the gateway sends on its own. */
export type NewsFrame = Extract<
  GatewayFrame,
  {
    type:
      | 'session'
      | 'stage'
      | 'joined'
      | 'mode'
      | 'size'
      | 'participants'
      | 'recording'
      | 'notice'
      | 'banner';
  }
>;

export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open'; readonly server: string; readonly session_id: string }
  | {
      readonly kind: 'reconnecting';
      readonly attempt: number;
      /** When the next attempt starts, by `Date.now()`; undefined during an attempt. */
      readonly next_at: number | undefined;
      /** The gateway's last error, if any. */
      readonly error: LinkError | undefined;
    }
  | { readonly kind: 'over'; readonly ending: Ending };

export interface LinkEvents {
  state(state: LinkState): void;
  /** The shell has been requested. */
  begun?(): void;
  output(bytes: Uint8Array): void;
  /** The host prompts before it opens a shell and expects one `answer`. Undefined withdraws the prompt. */
  prompt?(prompt: PromptFrame | undefined): void;
  news?(frame: NewsFrame): void;
  round_trip?(ms: number): void;
  /** The last input was lost because the buffer for the next socket is full. */
  overflow?(): void;
  /**
   * Input has not reached the shell: the terminal has ended, or the gateway does not know how much the shell was given before
   * the connection dropped (`is_certain` false).
   */
  input_lost?(loss: { readonly bytes: number; readonly is_certain: boolean }): void;
  /** Nothing has answered what was typed since then, by `Date.now()`; undefined once something does. */
  silent?(since_ms: number | undefined): void;
  /** The gateway answers, but the host has taken no input for some seconds: how many bytes wait. Undefined once it goes on. */
  unread?(bytes: number | undefined): void;
}

export interface LinkOptions {
  readonly client: GatewayClient;
  readonly target: TerminalTarget;
  /** Undefined if not known yet; a running session keeps its size. */
  readonly size: TerminalSize | undefined;
  /** Resolves once `resize` has told the size. The socket opens before that, but a new shell is requested only after it. */
  readonly sized?: Promise<unknown> | undefined;
  readonly events: LinkEvents;
  /** Calls back when the network or the user returns. The result unsubscribes. */
  readonly onReturn?: (listener: () => void) => () => void;
}
