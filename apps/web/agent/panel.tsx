import { useQuery } from '@tanstack/solid-query';
import Trash from 'lucide-solid/icons/trash';
import X from 'lucide-solid/icons/x';
import { createEffect, createSignal, on, onMount, Show } from 'solid-js';
import type { Schemas } from '#client/client.ts';
import { useApp } from '../app/context.ts';
import { createAttempt } from '../lib/attempt.ts';
import { activeElement } from '../lib/root.ts';
import { useOpenTerminals } from '../open-terminals/open-terminals.ts';
import type { TerminalHandle } from '../open-terminals/terminals.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Name } from '../parts/name.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { Trouble } from '../parts/trouble.tsx';
import type { Tab } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { type AgentChat, createAgentChat } from './chat.ts';
import type { Inserting } from './code-tools.tsx';
import { composerOf } from './composer.ts';
import { AgentComposer } from './composer-view.tsx';
import type { Attachment } from './context.ts';
import { AgentMessages } from './messages.tsx';
import { AgentOff } from './off.tsx';
import { useAgentPanels } from './panels.ts';
import { agentStatusQuery } from './status.ts';
import './panel.css';

interface Props {
  readonly tab: Tab;
}

/** The chat with the agent about one server, beside its terminal or files. */
export function AgentPanel(props: Props) {
  const { client, t } = useApp();
  const { wishFocus } = useWorkspace();
  const { terminals } = useOpenTerminals();
  const agent = useAgentPanels();
  const { id: tab_id, server_id } = props.tab;
  const status = useQuery(() => agentStatusQuery(client, server_id));
  const chat = agent.chatOf(server_id, (signal) => createAgentChat({ client, server_id, signal }));
  const terminal = () => terminals.of(tab_id);
  const loading = createAttempt();
  const load = () => void loading.run(chat.load);
  onMount(load);
  let root: HTMLElement | undefined;
  function close(): void {
    agent.close(tab_id);
    wishFocus();
  }
  /** Not in a dialog of the panel, whose events bubble here too. */
  function onKeyDown(event: KeyboardEvent): void {
    const is_inside = event.target instanceof Node && root?.contains(event.target) === true;
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || !is_inside) return;
    event.preventDefault();
    close();
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: Escape closes it from all of its content
    <section
      class="agent"
      aria-label={t('agent_of', { name: props.tab.server_name })}
      tabIndex={-1}
      ref={root}
      onKeyDown={onKeyDown}
    >
      <AgentHead chat={chat} model={status.data?.model} onClose={close} />
      <QueryState query={status} failure={t('agent_failed_status')}>
        {(known) => (
          <>
            <Show when={!known().enabled}>
              <AgentOff tab={props.tab} reason={known().reason} onShown={() => focusUnlessInside(root)} />
            </Show>
            <Show when={known().enabled || chat.messages.length > 0}>
              <History
                chat={chat}
                tab={props.tab}
                terminal={terminal()}
                status={known()}
                error={loading.error()}
                onRetry={load}
              />
            </Show>
            <Show when={known().enabled}>
              <Conversation chat={chat} tab={props.tab} terminal={terminal()} />
            </Show>
          </>
        )}
      </QueryState>
    </section>
  );
}

function focusUnlessInside(root: HTMLElement | undefined): void {
  if (root && !root.contains(activeElement())) root.focus();
}

function AgentHead(props: { chat: AgentChat; model: string | undefined; onClose: () => void }) {
  const { t } = useApp();
  const [asking, setAsking] = createSignal(false);
  return (
    <header class="agent-head">
      <h3 class="agent-title">{t('agent')}</h3>
      <span class="agent-model-name">
        <Name text={props.model ?? ''} />
      </span>
      <Show when={props.chat.messages.length > 0}>
        <button
          type="button"
          class="icon-button"
          aria-label={t('agent_delete')}
          title={t('agent_delete')}
          onClick={() => setAsking(true)}
        >
          <Trash size={15} aria-hidden="true" />
        </button>
      </Show>
      <button
        type="button"
        class="icon-button"
        aria-label={t('agent_close')}
        title={`${t('agent_close')} (Esc)`}
        onClick={() => props.onClose()}
      >
        <X size={16} aria-hidden="true" />
      </button>
      <Show when={asking()}>
        <Confirm
          title={t('agent_delete_title')}
          text={t('agent_delete_text')}
          action={t('agent_delete')}
          failure={t('agent_not_deleted')}
          danger
          onConfirm={props.chat.remove}
          onClose={() => setAsking(false)}
        />
      </Show>
    </header>
  );
}

interface ConversationProps {
  readonly chat: AgentChat;
  readonly tab: Tab;
  /** Undefined beside files. */
  readonly terminal: TerminalHandle | undefined;
}

/** Asks, and announces the end of the answer. */
function Conversation(props: ConversationProps) {
  const { t } = useApp();
  const agent = useAgentPanels();
  const { chat, tab } = props;
  const titleOf = ({ kind }: Attachment) => t(`agent_context_${kind}`);
  const composer = composerOf(chat, titleOf);
  let field: HTMLTextAreaElement | undefined;
  createEffect(() => {
    const wish = agent.takeWish(tab.id);
    if (!wish) return;
    if (wish.attachment) composer.attach(wish.attachment);
    if (wish.question && composer.text() === '') composer.setText(wish.question);
    setTimeout(() => field?.focus()); // the menu or palette that opened the panel closes first
  });
  return (
    <>
      <AgentComposer
        composer={composer}
        chat={chat}
        terminal={props.terminal}
        titleOf={titleOf}
        field={(element) => {
          field = element;
        }}
      />
      <Ended chat={chat} />
    </>
  );
}

const NEAR_END_PX = 60;

interface HistoryProps extends ConversationProps {
  readonly status: Schemas['AgentStatus'];
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Scrolls along with the answer, unless the user has scrolled up. */
function History(props: HistoryProps) {
  const { t } = useApp();
  let place: HTMLElement | undefined;
  const inserting = createInserting(props, () => place);
  let is_at_end = true;
  onMount(() => {
    const content = place?.firstElementChild;
    if (!place || !content) return;
    const observer = new ResizeObserver(() => is_at_end && place?.scrollTo({ top: place.scrollHeight }));
    observer.observe(content);
  });
  createEffect(
    on(
      () => props.chat.messages.length,
      () => {
        is_at_end = true;
        place?.scrollTo({ top: place.scrollHeight });
      },
    ),
  );
  return (
    <section
      class="agent-history"
      aria-label={t('agent_history')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
      ref={place}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        is_at_end = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      }}
    >
      <div class="agent-content">
        <Show when={props.error}>
          <Trouble title={t('agent_history_failed')} error={props.error} compact>
            <button type="button" class="button" onClick={() => props.onRetry()}>
              {t('try_again')}
            </button>
          </Trouble>
        </Show>
        <Show when={props.chat.loaded() && props.chat.messages.length === 0 && props.status.provider}>
          {(provider) => (
            <p class="agent-intro">
              {t('agent_intro', {
                name: props.tab.server_name,
                provider: t(`agent_provider_${provider()}`),
                model: props.status.model,
              })}
            </p>
          )}
        </Show>
        <Show when={props.chat.messages.length > 0}>
          <AgentMessages chat={props.chat} inserting={inserting()} />
        </Show>
      </div>
    </section>
  );
}

/** Puts code at the prompt of the terminal beside the panel. A panel that covers the terminal closes. */
function createInserting(
  props: ConversationProps,
  place: () => HTMLElement | undefined,
): () => Inserting | undefined {
  const { t } = useApp();
  const agent = useAgentPanels();
  const covers = () => {
    const aside = place()?.closest('.panel-aside');
    return aside ? getComputedStyle(aside).position === 'absolute' : false;
  };
  function insert(text: string): void {
    if (text === '') return;
    if (covers()) agent.close(props.tab.id);
    props.terminal?.propose(text);
    props.terminal?.focus();
  }
  const why = () => {
    if (props.terminal?.session_id() === undefined) return t('bar_no_shell');
    return props.terminal.mode() === 'ro' ? t('bar_read_only') : undefined;
  };
  const inserting = { why, insert };
  return () => (props.terminal ? inserting : undefined);
}

/** Announces the end of an answer, not each piece of it. */
function Ended(props: { chat: AgentChat }) {
  const { t } = useApp();
  const said = () => {
    const ended = props.chat.ended();
    if (!ended || props.chat.running() !== undefined) return '';
    if (ended.state === 'cancelled') return t('agent_cancelled');
    return t(ended.state === 'failed' ? 'agent_answer_failed' : 'agent_answered');
  };
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {said()}
    </p>
  );
}
