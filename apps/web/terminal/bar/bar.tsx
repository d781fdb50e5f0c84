import { type Accessor, createEffect, createSignal, onCleanup, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { whenIdle } from '../../lib/idle.ts';
import { useOpenTerminals } from '../../open-terminals/open-terminals.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';
import { Name } from '../../parts/name.tsx';
import { createFolding } from '../../workspace/panes/fold.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { BroadcastFacts, BroadcastFrame } from '../broadcast/frame.tsx';
import { TerminalFacts } from './facts.tsx';
import { ReadableSize } from './readable.tsx';
import { TerminalTools } from './tools.tsx';
import './bar.css';

const TOOLS_WITHIN_MS = 300;

interface Props {
  readonly handle: TerminalHandle;
}

/** The terminal's tools (share, snippets, broadcast) and its members. */
export function TerminalBar(props: Props) {
  const { t } = useApp();
  const { broadcast } = useOpenTerminals();
  const is_member = () => broadcast.has(props.handle.tab_id);
  let row: HTMLElement | undefined;
  createFolding(() => row);
  const is_calm = createCalm(() => props.handle.session_id() !== undefined);
  return (
    <>
      <div class="pane-bar-place">
        <section
          class="pane-bar"
          classList={{ 'terminal-bar-broadcast': is_member() }}
          aria-label={t('bar_of', { name: props.handle.server_name() })}
          ref={row}
        >
          <TerminalLead handle={props.handle} is_brief={is_member()} />
          <Show when={is_member()} fallback={<TerminalFacts handle={props.handle} />}>
            <BroadcastFacts />
          </Show>
          <ReadableSize handle={props.handle} />
          <Show when={is_calm()}>
            <TerminalTools handle={props.handle} />
          </Show>
        </section>
      </div>
      <NewHostKey handle={props.handle} />
      <Show when={is_member()}>
        <BroadcastFrame />
      </Show>
    </>
  );
}

/** The first output is more urgent than the tools. */
function createCalm(is_open: () => boolean): Accessor<boolean> {
  const [is_calm, setCalm] = createSignal(false);
  const show = () => setCalm(true);
  const timer = setTimeout(show, TOOLS_WITHIN_MS); // it may prompt for a password first
  onCleanup(() => clearTimeout(timer));
  createEffect(() => is_open() && onCleanup(whenIdle(show, TOOLS_WITHIN_MS)));
  return is_calm;
}

/** The server, and what the program in the terminal says. */
function TerminalLead(props: Props & { is_brief: boolean }) {
  const { t } = useApp();
  const { statuses } = useWorkspace();
  const status = () => statuses[props.handle.tab_id];
  return (
    <div class="pane-lead" classList={{ 'terminal-lead-brief': props.is_brief }}>
      <Show when={status()}>
        {(present) => (
          <span class={`dot tone-${present().tone}`} title={t(present().text)} aria-hidden="true" />
        )}
      </Show>
      <span class="pane-server" title={shownName(props.handle.server_name())}>
        <Name text={props.handle.server_name()} />
      </span>
      <Show when={!props.is_brief}>
        <span class="pane-title" data-keeps={120} title={shownName(props.handle.title())}>
          <Name text={props.handle.title()} />
        </span>
      </Show>
    </div>
  );
}

/** Shown once on the first connection to a host, the moment to compare fingerprints. */
function NewHostKey(props: Props) {
  const { t } = useApp();
  const [seen, setSeen] = createSignal<string>();
  const fresh = () => {
    const key = props.handle.host_key();
    return key?.is_new && key.fingerprint !== seen() ? key : undefined;
  };
  return (
    <Show when={fresh()}>
      {(key) => (
        <div class="terminal-notice" role="status">
          <p>
            {t('quick_pinned_first', { name: props.handle.server_name() })} <code>{key().fingerprint}</code>
          </p>
          <button
            type="button"
            class="button"
            onClick={() => {
              setSeen(key().fingerprint);
              props.handle.focus();
            }}
          >
            {t('quick_pinned_seen')}
          </button>
        </div>
      )}
    </Show>
  );
}
