import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import { type LinkState, TerminalLink, type TerminalSize } from '#client/terminal.ts';
import type { PromptFrame } from '#client/terminal-ending.ts';
import type { Pane } from './pane.ts';

/** `idle`: a tab from before a reload, whose shell is gone. */
export type TerminalState = LinkState | { readonly kind: 'idle' };

export interface ShellLink {
  readonly state: Accessor<TerminalState>;
  readonly round_trip_ms: Accessor<number | undefined>;
  /** What the host wants to know before it opens a shell. */
  readonly prompt: Accessor<PromptFrame | undefined>;
  answer(answers: readonly string[]): void;
  /** Ends the attempt instead of answering. */
  giveUp(): void;
  /** A new shell; the one before is ended. */
  open(pane: Pane): void;
  input(data: string | Uint8Array): void;
  resize(size: TerminalSize): void;
  ping(): void;
  fail(error: unknown): void;
}

interface Options {
  readonly client: GatewayClient;
  readonly server_id: number;
  readonly idle: boolean;
  /** The gateway or the network ended it, not the shell. */
  readonly onTrouble: () => void;
}

/** The link of one terminal tab, one after the other, as signals. */
export function createShellLink({ client, server_id, idle, onTrouble }: Options): ShellLink {
  const [state, setState] = createSignal<TerminalState>({ kind: idle ? 'idle' : 'connecting' });
  const [round_trip_ms, setRoundTrip] = createSignal<number>();
  const [prompt, setPrompt] = createSignal<PromptFrame>();
  let link: TerminalLink | undefined;
  onCleanup(() => link?.close());

  function changed(next: LinkState): void {
    setState(next);
    if (next.kind === 'open') link?.ping();
    else setRoundTrip(undefined);
    if (next.kind === 'over' && next.ending.kind !== 'exit') onTrouble();
  }

  return {
    state,
    round_trip_ms,
    prompt,
    answer: (answers) => link?.answer(answers),
    giveUp() {
      link?.close();
      setPrompt(undefined);
      setState({ kind: 'over', ending: { kind: 'given_up' } });
    },
    open(pane) {
      link?.close();
      setPrompt(undefined);
      const opened: TerminalLink = new TerminalLink({
        client,
        server_id,
        size: pane.size(),
        events: {
          state: changed,
          output: (bytes) => pane.write(bytes, () => opened.parsed(bytes.length)),
          prompt: (asked) => setPrompt(() => asked),
          round_trip: setRoundTrip,
        },
      });
      link = opened;
    },
    input: (data) => link?.input(data),
    resize: (size) => link?.resize(size),
    ping: () => link?.ping(),
    fail(error) {
      const message = error instanceof Error ? error.message : String(error);
      setState({ kind: 'over', ending: { kind: 'failed', error: { code: 'page', message } } });
    },
  };
}
