import type { Schemas } from '#client/client.ts';

type Settings = Schemas['AgentSettings'];
type Address = Schemas['AgentTestInput'];
export type Provider = NonNullable<Settings['provider']>;

export const PROVIDERS = [
  'openai_compatible',
  'openrouter',
  'anthropic',
  'ollama',
] as const satisfies Provider[];

/** What a base URL looks like, or is if the field stays empty. */
export const EXAMPLES: Readonly<Record<Provider, string>> = {
  openai_compatible: 'https://models.example.com/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  anthropic: 'https://api.anthropic.com/v1',
  ollama: 'http://127.0.0.1:11434/v1',
};

/** The numbers of the form, with the bounds of the gateway. */
export const NUMBERS = {
  steps: { min: 1, max: 50 },
  seconds: { min: 10, max: 900 },
  tokens_per_turn: { min: 1000, max: 2_000_000 },
  tokens_per_day: { min: 0, max: 1_000_000_000 },
  retention_days: { min: 1, max: 3650 },
} as const;
export type NumberName = keyof typeof NUMBERS;
export const NUMBER_NAMES = Object.keys(NUMBERS) as readonly NumberName[];

/** The form; an empty key means unchanged, and numbers are text. */
export interface AgentDraft extends Readonly<Record<NumberName, string>> {
  readonly provider: Provider | 'off';
  readonly base_url: string;
  readonly model: string;
  readonly api_key: string;
  readonly forget_key: boolean;
  readonly allow_private_address: boolean;
}

export function draftOf(settings: Settings): AgentDraft {
  const { provider, base_url, model, allow_private_address, limits, retention_days } = settings;
  return {
    provider: provider ?? 'off',
    base_url,
    model,
    api_key: '',
    forget_key: false,
    allow_private_address,
    steps: String(limits.steps),
    seconds: String(limits.seconds),
    tokens_per_turn: String(limits.tokens_per_turn),
    tokens_per_day: String(limits.tokens_per_day),
    retention_days: String(retention_days),
  };
}

/** Whether the gateway keeps the stored key for this address. Only the gateway knows whose it is while the agent is off. */
export function keepsKey(draft: AgentDraft, stored: Settings): boolean {
  if (!stored.has_key) return false;
  if (draft.provider === 'off' || stored.provider === null) return true;
  return draft.provider === stored.provider && originOf(draft) === originOf(stored);
}

function originOf({
  provider,
  base_url,
}: Pick<Settings, 'base_url'> & { provider: Provider | 'off' | null }) {
  const url = base_url.trim() || (provider && provider !== 'off' ? EXAMPLES[provider] : '');
  return URL.canParse(url) ? new URL(url).origin : url;
}

export function addressOf(draft: AgentDraft, stored: Settings): Address {
  const { provider, base_url, model, api_key, forget_key, allow_private_address } = draft;
  const key = forget_key ? '' : api_key.trim();
  return {
    provider: provider === 'off' ? null : provider,
    base_url: base_url.trim(),
    model: model.trim(),
    allow_private_address,
    ...(key === '' && !forget_key && (keepsKey(draft, stored) || !stored.has_key) ? {} : { api_key: key }),
  };
}

export function inputOf(draft: AgentDraft, stored: Settings): Schemas['AgentSettingsInput'] {
  return {
    ...addressOf(draft, stored),
    limits: {
      steps: Number(draft.steps),
      seconds: Number(draft.seconds),
      tokens_per_turn: Number(draft.tokens_per_turn),
      tokens_per_day: Number(draft.tokens_per_day),
    },
    retention_days: Number(draft.retention_days),
  };
}

/** Whether a typed number may be sent. */
export function isWithin(name: NumberName, typed: string): boolean {
  const { min, max } = NUMBERS[name];
  return /^\s*\d+\s*$/.test(typed) && Number(typed) >= min && Number(typed) <= max;
}
