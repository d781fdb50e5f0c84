import { z } from 'zod';
import { Id, Instant } from './fields.ts';

export const AgentProvider = z
  .enum(['openai_compatible', 'openrouter', 'anthropic', 'ollama'])
  .meta({ 'x-extensible': true });
export type AgentProvider = z.infer<typeof AgentProvider>;

/** Where each provider is, unless the settings say otherwise; empty: they must. */
const PROVIDER_URLS: Readonly<Record<AgentProvider, string>> = {
  openai_compatible: '',
  openrouter: 'https://openrouter.ai/api/v1',
  anthropic: 'https://api.anthropic.com/v1',
  ollama: 'http://127.0.0.1:11434/v1',
};

const BELOW_V1: readonly AgentProvider[] = ['anthropic', 'ollama'];

interface ProviderPlace {
  readonly provider: AgentProvider;
  readonly base_url: string;
}

export function baseUrlOf({ provider, base_url }: ProviderPlace): string {
  const url = (base_url || PROVIDER_URLS[provider]).replace(/\/+$/, '');
  const is_bare = /^https?:\/\/[^/?#]+$/i.test(url);
  return is_bare && BELOW_V1.includes(provider) ? `${url}/v1` : url;
}

/** Limits of one turn: a question and everything until its answer. */
export const AgentLimits = z
  .strictObject({
    steps: z.int().min(1).max(50).describe('Calls of the model in one turn'),
    seconds: z.int().min(10).max(900).describe('Length of one turn'),
    tokens_per_turn: z.int().min(1000).max(2_000_000).describe('Input and output together'),
    tokens_per_day: z.int().min(0).max(1_000_000_000).describe('Of one user, by UTC days; 0: no limit'),
  })
  .meta({ id: 'AgentLimits' });
export type AgentLimits = z.infer<typeof AgentLimits>;

export const DEFAULT_AGENT_LIMITS: AgentLimits = {
  steps: 12,
  seconds: 180,
  tokens_per_turn: 100_000,
  tokens_per_day: 1_000_000,
};

const address = {
  provider: AgentProvider.nullable().describe('Null: the agent is off'),
  base_url: z.string().trim().max(2048).describe('Empty: the address of the provider, where it has one'),
  model: z.string().trim().max(200),
  allow_private_address: z
    .boolean()
    .describe(
      'Allows `http://` and private addresses, such as an Ollama at home, if `SERVICE_WEBHOOK_ALLOW_PRIVATE` is on',
    ),
};

export const AgentSettings = z
  .object({
    ...address,
    has_key: z.boolean(),
    is_unreadable: z
      .boolean()
      .describe('What is stored cannot be decrypted; the agent is off until the settings are saved again'),
    limits: AgentLimits,
    retention_days: z.int().describe('Days that chats are kept after their last message'),
  })
  .meta({ id: 'AgentSettings' });
export type AgentSettings = z.infer<typeof AgentSettings>;

const input = {
  ...address,
  api_key: z
    .string()
    .trim()
    .max(1000)
    .regex(/^[!-~]*$/, 'A key has only ASCII characters, without spaces')
    .optional()
    .describe(
      'Write-only; absent: the stored one; an empty string: none. Required when a key is stored for another provider or host',
    ),
};

export const AgentSettingsInput = z
  .strictObject({
    ...input,
    limits: AgentLimits.default(DEFAULT_AGENT_LIMITS),
    retention_days: z.int().min(1).max(3650).default(30),
  })
  .meta({ id: 'AgentSettingsInput' });
export type AgentSettingsInput = z.infer<typeof AgentSettingsInput>;

/** What to try, before it is saved. */
export const AgentTestInput = z.strictObject(input).meta({ id: 'AgentTestInput' });
export type AgentTestInput = z.infer<typeof AgentTestInput>;

export const AgentTest = z
  .object({ ok: z.boolean(), models: z.array(z.string()), detail: z.string() })
  .meta({ id: 'AgentTest' });
export type AgentTest = z.infer<typeof AgentTest>;

export const AgentStatus = z
  .object({
    enabled: z.boolean(),
    reason: z.enum(['agent_off', 'agent_disabled_for_server']).nullable().describe('Why it is off'),
    provider: AgentProvider.nullable(),
    model: z.string(),
  })
  .meta({ id: 'AgentStatus' });
export type AgentStatus = z.infer<typeof AgentStatus>;

export const AgentQuestion = z
  .strictObject({
    message: z.string().trim().min(1).max(8000),
    context: z
      .string()
      .max(32_000)
      .optional()
      .describe('Text that the user attaches: a selection, the last screen of a terminal, an error'),
  })
  .meta({ id: 'AgentQuestion' });
export type AgentQuestion = z.infer<typeof AgentQuestion>;

/** One call of a tool. */
export const AgentStep = z
  .object({
    id: z.string(),
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    ok: z.boolean().nullable().describe('Null while it runs'),
    summary: z.string(),
  })
  .meta({ id: 'AgentStep' });
export type AgentStep = z.infer<typeof AgentStep>;

export const AgentMessageState = z.enum(['running', 'done', 'cancelled', 'failed']);
export type AgentMessageState = z.infer<typeof AgentMessageState>;

export const AgentMessage = z
  .object({
    id: Id,
    role: z.enum(['user', 'assistant']),
    content: z.string().describe('Markdown of the model; untrusted'),
    context: z.string().describe('What the user attached; empty if nothing'),
    steps: z.array(AgentStep),
    state: AgentMessageState,
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    created_at: Instant,
  })
  .meta({ id: 'AgentMessage' });
export type AgentMessage = z.infer<typeof AgentMessage>;

export const AgentChat = z
  .object({ messages: z.array(AgentMessage).describe('Oldest first') })
  .meta({ id: 'AgentChat' });
export type AgentChat = z.infer<typeof AgentChat>;

/** What a turn streams: each is one server-sent event of this name. */
export type AgentEvent =
  | { readonly name: 'turn'; readonly data: { readonly message_id: number; readonly question_id: number } }
  | { readonly name: 'text'; readonly data: { readonly delta: string } }
  | { readonly name: 'tool_call'; readonly data: Pick<AgentStep, 'id' | 'tool' | 'arguments'> }
  | {
      readonly name: 'tool_result';
      readonly data: { readonly id: string; readonly ok: boolean; readonly summary: string };
    }
  | {
      readonly name: 'usage';
      readonly data: { readonly input_tokens: number; readonly output_tokens: number };
    }
  | { readonly name: 'error'; readonly data: { readonly code: string; readonly message: string } }
  | {
      readonly name: 'done';
      readonly data: { readonly message_id: number; readonly state: AgentMessageState };
    };

/** A row of `agent_messages`; `content_sealed` is what of it only its user may read. */
export interface AgentMessageRow {
  readonly id: number;
  readonly user_id: number;
  readonly server_id: number;
  readonly role: 'user' | 'assistant';
  readonly state: AgentMessageState;
  readonly content_sealed: string;
  /** The instance that runs the turn; null once it is over. */
  readonly run_id: string | null;
  /** Its user has cancelled the turn; the instance that runs it ends it. */
  readonly is_cancelled: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}
