import { z } from 'zod';
import type { Vault } from '../crypto/vault.ts';
import { type AgentMessage, type AgentMessageRow, AgentStep } from '../model/agent.ts';

const PLACE = 'agent_messages.content';

const Called = z.object({
  id: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  signature: z.string().optional(),
  result: z.string(),
});

/** What the model said at once: words, and calls with what they returned. */
const Round = z.object({ text: z.string(), calls: z.array(Called) });
export type Round = z.infer<typeof Round>;

/** What of a message is sealed. */
const MessageContent = z.object({
  text: z.string(),
  context: z.string().default(''),
  steps: z.array(AgentStep).default([]),
  rounds: z.array(Round).default([]),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }).nullable().default(null),
  error: z.object({ code: z.string(), message: z.string() }).nullable().default(null),
});
export type MessageContent = z.infer<typeof MessageContent>;

/** A message as its row and its content. */
export interface OpenMessage {
  readonly row: AgentMessageRow;
  readonly content: MessageContent;
}

/** Seals and opens the contents of messages. */
export interface SealedMessages {
  seal(id: number, content: Partial<MessageContent> & Pick<MessageContent, 'text'>): Promise<string>;
  /** Throws when the content cannot be decrypted. */
  open(row: AgentMessageRow): Promise<OpenMessage>;
  /** Without those that cannot be decrypted: their key is lost. */
  openAll(rows: readonly AgentMessageRow[]): Promise<OpenMessage[]>;
}

export function createSealedMessages(vault: Vault): SealedMessages {
  async function open(row: AgentMessageRow): Promise<OpenMessage> {
    const text = await vault.open(row.content_sealed, PLACE, row.id);
    return { row, content: MessageContent.parse(JSON.parse(text)) };
  }

  return {
    seal: (id, content) => vault.seal(JSON.stringify(content), PLACE, id),
    open,
    async openAll(rows) {
      const opened = await Promise.all(rows.map((row) => open(row).catch(() => undefined)));
      return opened.filter((message) => message !== undefined);
    },
  };
}

export function toAgentMessage({ row, content }: OpenMessage): AgentMessage {
  const { id, role, state, created_at } = row;
  const { text, context, steps, error } = content;
  return { id, role, content: text, context, steps, state, error, created_at };
}
