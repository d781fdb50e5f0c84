import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { shownName } from '../lib/hidden-characters.ts';
import { useOpenTerminals, useTerminalLabel } from '../open-terminals/open-terminals.ts';
import type { TerminalHandle } from '../open-terminals/terminals.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { useWorkspace } from '../workspace/workspace.ts';
import { endSession, type LiveSession } from './sessions.ts';
import './sessions.css';

interface EndProps {
  readonly session: LiveSession;
  readonly onEnded: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before ending a session and everything that runs in it. */
export function EndSession(props: EndProps) {
  const { client, t } = useApp();
  async function end(): Promise<void> {
    await endSession(client, props.session);
    await props.onEnded();
  }
  const { own, server_name: name, username } = props.session;
  return (
    <Confirm
      title={own ? t('live_end_own', { name }) : t('live_end_of', { name, username })}
      text={t(own ? 'live_end_text' : 'live_end_other_text')}
      action={t('live_end')}
      failure={t('live_not_ended')}
      danger
      onConfirm={end}
      onClose={props.onClose}
    />
  );
}

function useTerminalOf(session: () => LiveSession): () => TerminalHandle | undefined {
  const { terminals } = useOpenTerminals();
  return () => terminals.list().find((handle) => handle.session_id() === session().id);
}

/** Goes to the tab of an own session, or resumes it in a new tab. */
export function ContinueButton(props: { session: LiveSession }) {
  const { t } = useApp();
  const { tabs } = useWorkspace();
  const open_here = useTerminalOf(() => props.session);
  function go(): void {
    const here = open_here();
    const { id: session_id, server_id, server_name } = props.session;
    if (here) tabs.activate(here.tab_id);
    else {
      const aim = { kind: 'session', session_id } as const;
      tabs.open({ kind: 'terminal', server_id: server_id ?? 0, server_name, aim });
    }
  }
  const text = () => t(open_here() ? 'live_go_to_tab' : 'live_continue');
  return (
    <button
      type="button"
      class="button"
      aria-label={`${text()}: ${shownName(props.session.server_name)}`}
      onClick={go}
    >
      {text()}
    </button>
  );
}

export function RecordedBadge(props: { session: LiveSession }) {
  const { t } = useApp();
  return (
    <Show when={props.session.recording}>
      <span class="badge badge-bad">{t('bar_recorded')}</span>
    </Show>
  );
}

/** The tab in this window that shows the session, and the title its program has set. */
export function OpenHere(props: { session: LiveSession }) {
  const { t } = useApp();
  const open_here = useTerminalOf(() => props.session);
  const labelOf = useTerminalLabel();
  return (
    <Show when={open_here()}>
      {(handle) => (
        <span class="live-here">
          {[t('live_here', { name: labelOf(handle()) }), handle().title()].filter((part) => part).join(' · ')}
        </span>
      )}
    </Show>
  );
}
