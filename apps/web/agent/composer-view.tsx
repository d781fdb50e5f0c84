import Paperclip from 'lucide-solid/icons/paperclip';
import SendHorizontal from 'lucide-solid/icons/send-horizontal';
import Square from 'lucide-solid/icons/square';
import X from 'lucide-solid/icons/x';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { createAttempt } from '../lib/attempt.ts';
import { shownText } from '../lib/hidden-characters.ts';
import type { TerminalHandle } from '../open-terminals/terminals.ts';
import { Trouble } from '../parts/trouble.tsx';
import type { AgentChat } from './chat.ts';
import type { Composer } from './composer.ts';
import { type Attachment, MOST_QUESTION } from './context.ts';
import '../parts/fields/field.css';

interface Props {
  readonly composer: Composer;
  readonly chat: AgentChat;
  /** Undefined beside files. */
  readonly terminal: TerminalHandle | undefined;
  readonly titleOf: (attachment: Attachment) => string;
  readonly field: (element: HTMLTextAreaElement) => void;
}

export function AgentComposer(props: Props) {
  const { t } = useApp();
  const { composer } = props;
  let field: HTMLTextAreaElement | undefined;
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void composer.send();
  }
  return (
    <form
      class="agent-composer"
      onSubmit={(event) => {
        event.preventDefault();
        void composer.send();
        field?.focus();
      }}
    >
      <Show when={composer.error()}>
        <Trouble title={t('agent_not_asked')} error={composer.error()} compact />
      </Show>
      <Show when={composer.attachments().length > 0}>
        <ul class="agent-chips" aria-label={t('agent_attachments')}>
          <For each={composer.attachments()}>
            {(attachment) => (
              <Chip
                title={props.titleOf(attachment)}
                text={attachment.text}
                onRemove={() => {
                  composer.detach(attachment);
                  field?.focus();
                }}
              />
            )}
          </For>
        </ul>
      </Show>
      <textarea
        class="field-input agent-field"
        aria-label={t('agent_question')}
        placeholder={t('agent_placeholder')}
        rows={3}
        maxlength={MOST_QUESTION}
        value={composer.text()}
        onInput={(event) => composer.setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        ref={(element) => {
          field = element;
          props.field(element);
        }}
      />
      <div class="agent-actions">
        <Show when={props.terminal}>{(terminal) => <AttachButtons {...props} terminal={terminal()} />}</Show>
        <span class="actions-gap" />
        <Show
          when={props.chat.running() === undefined}
          fallback={<CancelButton chat={props.chat} onCancelled={() => field?.focus()} />}
        >
          <button
            type="submit"
            class="button button-primary agent-action"
            disabled={!composer.can_send()}
            title={t('agent_send_hint')}
          >
            <SendHorizontal size={15} aria-hidden="true" /> {t('agent_send')}
          </button>
        </Show>
      </div>
    </form>
  );
}

function Chip(props: { title: string; text: string; onRemove: () => void }) {
  const { t } = useApp();
  return (
    <li class="agent-chip" title={shownText(props.text.slice(0, 500))}>
      <span>{props.title}</span>
      <button
        type="button"
        class="agent-chip-remove"
        aria-label={t('agent_detach', { name: props.title })}
        onClick={() => props.onRemove()}
      >
        <X size={13} aria-hidden="true" />
      </button>
    </li>
  );
}

function AttachButtons(props: Props & { terminal: TerminalHandle }) {
  const { t } = useApp();
  const [is_empty, setEmpty] = createSignal(false);
  const attach = (kind: Attachment['kind'], text: string) => {
    setEmpty(text.trim() === '');
    if (text.trim() !== '') props.composer.attach({ kind, text });
  };
  return (
    <>
      <p class="agent-attach-said" role="status">
        {is_empty() ? t('agent_attach_nothing') : ''}
      </p>
      <button
        type="button"
        class="button button-quiet agent-action"
        title={t('agent_attach_selection_hint')}
        onMouseDown={(event) => event.preventDefault()} // the selection stays
        onClick={() => attach('selection', props.terminal.selection())}
      >
        <Paperclip size={14} aria-hidden="true" /> {t('agent_attach_selection')}
      </button>
      <button
        type="button"
        class="button button-quiet agent-action"
        onClick={() => attach('screen', props.terminal.screen())}
      >
        <Paperclip size={14} aria-hidden="true" /> {t('agent_attach_screen')}
      </button>
    </>
  );
}

function CancelButton(props: { chat: AgentChat; onCancelled: () => void }) {
  const { t } = useApp();
  const attempt = createAttempt();
  return (
    <button
      type="button"
      class="button agent-action"
      aria-disabled={attempt.busy()}
      onClick={() => void attempt.run(props.chat.cancel).then(props.onCancelled)}
    >
      <Square size={13} aria-hidden="true" /> {t('cancel')}
    </button>
  );
}
