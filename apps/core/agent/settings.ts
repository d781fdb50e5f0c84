import { z } from 'zod';
import { orRecorded } from '../audit/outcome.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Vault } from '../crypto/vault.ts';
import { Fault, invalidField } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import {
  AgentLimits,
  AgentProvider,
  type AgentSettings,
  type AgentSettingsInput,
  type AgentTestInput,
  baseUrlOf,
  DEFAULT_AGENT_LIMITS,
} from '../model/agent.ts';
import { assertMay } from '../policy/account.ts';
import type { LanguageModels, ModelAddress } from '../ports/agent.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background } from '../ports/runtime.ts';

/** Which model answers, and within which limits. Read at each use, because other instances change it too. */
export interface AgentSettingsService {
  get(caller: Caller): Promise<AgentSettings>;
  update(caller: Caller, input: AgentSettingsInput): Promise<AgentSettings>;
}

export interface AgentConfig {
  /** Throws `agent_off`. */
  inForce(): Promise<AgentInForce>;
  /** How long chats are kept; also while the agent is off. */
  retentionDays(): Promise<number>;
  /** What these settings, or the stored ones, would use; undefined without a provider. Throws what `update` would refuse. */
  addressOf(input: AgentTestInput | undefined): Promise<ModelAddress | undefined>;
}

export interface AgentInForce {
  readonly address: ModelAddress;
  readonly limits: AgentLimits;
  readonly retention_days: number;
}

/** The JSON that `agent_settings.config` seals. */
const Stored = z.object({
  provider: AgentProvider.nullable(),
  base_url: z.string(),
  model: z.string(),
  allow_private_address: z.boolean(),
  api_key: z.string(),
  /** The provider and host that the key was entered for. */
  key_for: z.string(),
  limits: AgentLimits,
  retention_days: z.int(),
});
type Stored = z.infer<typeof Stored>;

const OFF: Stored = {
  provider: null,
  base_url: '',
  model: '',
  allow_private_address: false,
  api_key: '',
  key_for: '',
  limits: DEFAULT_AGENT_LIMITS,
  retention_days: 30,
};

const PLACE = 'agent_settings.config';
const ROW = 1;

export const UNREADABLE =
  'The settings of the agent cannot be decrypted: an administrator must save them again';

interface Deps {
  readonly repositories: Pick<Repositories, 'agent_settings'>;
  readonly vault: Vault;
  readonly language_models: Pick<LanguageModels, 'objection'>;
  readonly trail: AuditTrail;
  readonly background: Background;
}

export function createAgentSettings(deps: Deps): AgentSettingsService & AgentConfig {
  const { repositories, vault, language_models, trail, background } = deps;
  const rows = repositories.agent_settings;

  /** Undefined when it cannot be decrypted or understood. */
  async function opened(sealed: string | null): Promise<Stored | undefined> {
    if (sealed === null) return OFF;
    const text = await vault.open(sealed, PLACE, ROW).catch(() => undefined);
    return text === undefined ? undefined : Stored.safeParse(parsed(text)).data;
  }

  /** Throws for an address that may not be used. */
  function judge(address: ModelAddress): void {
    const objection = language_models.objection(address);
    if (objection !== undefined) throw invalidField('base_url', objection);
  }

  /** The settings before and after. Retries when somebody else changed them in between. */
  async function change(input: AgentSettingsInput) {
    for (;;) {
      const sealed = await rows.get();
      const before = await opened(sealed);
      const after = { ...input, ...keptKey(before ?? OFF, input) };
      const address = addressIn(after);
      if (address) {
        judge(address);
        if (address.model === '') throw invalidField('model', 'Choose a model');
      }
      const renewed = await vault.seal(JSON.stringify(after), PLACE, ROW);
      if (await rows.save(renewed, sealed)) return { before, after };
    }
  }

  return {
    async get(caller) {
      assertMay(caller, 'read_administration');
      return shown(await opened(await rows.get()));
    },

    async update(caller, input) {
      assertMay(caller, 'administer_confirmed');
      const record = (detail: string) => trail.record(caller, 'agent_settings_update', detail);
      const changing = change(input);
      const { before, after } = await orRecorded(changing, background, (ending) =>
        record(`Settings${ending}`),
      );
      await record(changedFields(before, after).join(', ') || 'nothing');
      return shown(after);
    },

    async inForce() {
      const stored = await opened(await rows.get());
      if (!stored) throw new Fault('agent_off', UNREADABLE);
      const address = addressIn(stored);
      if (!address) throw new Fault('agent_off');
      return { address, limits: stored.limits, retention_days: stored.retention_days };
    },

    async retentionDays() {
      return ((await opened(await rows.get())) ?? OFF).retention_days;
    },

    async addressOf(input) {
      const stored = await opened(await rows.get());
      if (!input && !stored) throw new Fault('agent_off', UNREADABLE);
      const before = stored ?? OFF;
      const address = addressIn(input ? { ...input, ...keptKey(before, input) } : before);
      if (address) judge(address);
      return address;
    },
  };
}

function addressIn({
  provider,
  base_url,
  model,
  api_key,
  allow_private_address,
}: Omit<Stored, 'limits' | 'retention_days' | 'key_for'>): ModelAddress | undefined {
  return provider === null ? undefined : { provider, base_url, model, api_key, allow_private_address };
}

/** The stored key goes to nobody but whom it was entered for. */
function keptKey(before: Stored, input: AgentTestInput): Pick<Stored, 'api_key' | 'key_for'> {
  const key_for = destinationOf(input);
  if (input.api_key !== undefined) return { api_key: input.api_key, key_for };
  const { api_key } = before;
  if (api_key === '' || input.provider === null || key_for === before.key_for) {
    return { api_key, key_for: before.key_for };
  }
  const detail = 'The stored API key is for another address: enter the key for this one, or clear it';
  const message = 'Required: the stored key must not reach another host';
  throw new Fault('credential_required', detail, { errors: [{ path: 'api_key', message }] });
}

function destinationOf({ provider, base_url }: Pick<AgentTestInput, 'provider' | 'base_url'>): string {
  if (provider === null) return '';
  const url = baseUrlOf({ provider, base_url });
  return `${provider} ${URL.canParse(url) ? new URL(url).origin : url}`;
}

function shown(stored: Stored | undefined): AgentSettings {
  const { api_key, key_for: _, ...rest } = stored ?? OFF;
  return { ...rest, has_key: api_key !== '', is_unreadable: stored === undefined };
}

const FIELDS = [
  'provider',
  'base_url',
  'model',
  'allow_private_address',
  'api_key',
  'limits',
  'retention_days',
] as const satisfies readonly (keyof Stored)[];

function changedFields(before: Stored | undefined, after: Stored): string[] {
  const text = (stored: Stored | undefined, field: (typeof FIELDS)[number]) =>
    JSON.stringify(stored?.[field]);
  return FIELDS.filter((field) => text(before, field) !== text(after, field));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
