import { createSignal } from 'solid-js';
import { createAttempt } from '../lib/attempt.ts';
import type { AgentChat } from './chat.ts';
import { type Attachment, contextOf, MOST_QUESTION } from './context.ts';

const composers = new WeakMap<AgentChat, Composer>();

/** The question that is being written in a chat. It stays until the gateway has taken it, also while the panel is closed. */
export function composerOf(chat: AgentChat, titleOf: (attachment: Attachment) => string): Composer {
  const composer = composers.get(chat) ?? createComposer(chat, titleOf);
  composers.set(chat, composer);
  return composer;
}

function createComposer(chat: AgentChat, titleOf: (attachment: Attachment) => string) {
  const [text, setText] = createSignal('');
  const [attachments, setAttachments] = createSignal<readonly Attachment[]>([]);
  const sending = createAttempt();
  const can_send = () => text().trim() !== '' && chat.running() === undefined && !sending.busy();

  function attach(attachment: Attachment): void {
    setAttachments((before) => [...before.filter((one) => !isSame(one, attachment)), attachment]);
  }

  return {
    text,
    setText,
    attachments,
    attach,
    detach: (attachment: Attachment) =>
      setAttachments((before) => before.filter((one) => one !== attachment)),
    can_send,
    busy: sending.busy,
    error: sending.error,
    async send(): Promise<void> {
      if (!can_send()) return;
      const [message, attached] = [text().trim().slice(0, MOST_QUESTION), attachments()];
      const context = contextOf(attached, titleOf);
      const is_sent = await sending.run(() => chat.ask({ message, ...(context ? { context } : {}) }));
      if (!is_sent) return;
      setText('');
      setAttachments((present) => present.filter((one) => !attached.includes(one)));
    },
  };
}

export type Composer = ReturnType<typeof createComposer>;

function isSame(one: Attachment, other: Attachment): boolean {
  return one.kind === other.kind && one.text === other.text;
}
