import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import type { PromptFrame } from '#client/terminal/ending.ts';
import type { LinkEvents, LinkState, NewsFrame } from '#client/terminal/events.ts';
import { TerminalLink } from '#client/terminal/link.ts';
import type { TerminalSize, TerminalTarget } from '#client/terminal/target.ts';
import { onReturn } from '../lib/returns.ts';

/** `idle` is a tab from before a reload whose shell is gone. */
export type TerminalState = LinkState | { readonly kind: 'idle' };

export interface ShellLink {
  readonly state: Accessor<TerminalState>;
  readonly round_trip_ms: Accessor<number | undefined>;
  /** Since when nothing answers what was typed, by `Date.now()`. */
  readonly silent_since: Accessor<number | undefined>;
  /** How much of what was typed waits for a host that reads nothing. */
  readonly unread_bytes: Accessor<number | undefined>;
  /** The host's prompt before it opens a shell. */
  readonly prompt: Accessor<PromptFrame | undefined>;
  answer(answers: readonly string[]): void;
  /** Cancels the attempt instead of answering. */
  giveUp(): void;
  /** Opens a new shell and ends the previous one. */
  open(aim: TerminalTarget, size: TerminalSize | undefined, start?: Start): void;
  input(data: string | Uint8Array): void;
  resize(size: TerminalSize): void;
  parsed(bytes: number): void;
  ping(): void;
  reconnectNow(): void;
  refresh(): void;
  fail(error: unknown): void;
}

export interface Start {
  /** The size may be told until this settles. */
  readonly sized?: Promise<unknown>;
  /** The shell has been requested. */
  readonly begun?: () => void;
}

interface Options {
  readonly client: GatewayClient;
  readonly idle: boolean;
  readonly output: (bytes: Uint8Array) => void;
  readonly news: (frame: NewsFrame) => void;
  readonly overflow: () => void;
  readonly input_lost: NonNullable<LinkEvents['input_lost']>;
  /** Whether the shell keeps running when the page goes away. */
  readonly outlives: () => boolean;
  /** Called when the gateway or the network ended it, not the shell. */
  readonly onTrouble: () => void;
}

/** The current link of a terminal tab, as signals. */
export function createShellLink(options: Options): ShellLink {
  const { client, idle, output, news, overflow, input_lost, outlives, onTrouble } = options;
  const [state, setState] = createSignal<TerminalState>({ kind: idle ? 'idle' : 'connecting' });
  const [round_trip_ms, setRoundTrip] = createSignal<number>();
  const [silent_since, setSilent] = createSignal<number>();
  const [unread_bytes, setUnread] = createSignal<number>();
  const [prompt, setPrompt] = createSignal<PromptFrame>();
  let link: TerminalLink | undefined;
  onCleanup(() => (outlives() ? link?.detach() : link?.close()));

  function changed(next: LinkState): void {
    setState(next);
    if (next.kind === 'open') link?.ping();
    else setRoundTrip(undefined);
    if (next.kind === 'over' && next.ending.kind !== 'exit') onTrouble();
  }

  return {
    state,
    round_trip_ms,
    silent_since,
    unread_bytes,
    prompt,
    answer: (answers) => link?.answer(answers),
    giveUp() {
      link?.close();
      setPrompt(undefined);
      setState({ kind: 'over', ending: { kind: 'given_up' } });
    },
    open(aim, size, { sized, begun = () => undefined } = {}) {
      link?.close();
      setPrompt(undefined);
      const events = {
        state: changed,
        begun,
        output,
        news,
        overflow,
        input_lost,
        prompt: (asked: PromptFrame | undefined) => setPrompt(() => asked),
        round_trip: setRoundTrip,
        silent: setSilent,
        unread: setUnread,
      };
      link = new TerminalLink({ client, target: aim, size, sized, events, onReturn });
    },
    input: (data) => link?.input(data),
    resize: (size) => link?.resize(size),
    parsed: (bytes) => link?.parsed(bytes),
    ping: () => link?.ping(),
    reconnectNow: () => link?.reconnectNow(),
    refresh: () => link?.refresh(),
    fail(error) {
      link?.close();
      const message = error instanceof Error ? error.message : String(error);
      setState({ kind: 'over', ending: { kind: 'failed', error: { code: 'page', message } } });
    },
  };
}
