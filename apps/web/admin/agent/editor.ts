import { queryOptions, useQuery, useQueryClient } from '@tanstack/solid-query';
import { createMemo, createSignal } from 'solid-js';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { AGENT_STATUS_KEY } from '../../agent/status.ts';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { createFormErrors } from '../../parts/fields/form-errors.ts';
import {
  type AgentDraft,
  addressOf,
  draftOf,
  inputOf,
  isWithin,
  keepsKey,
  NUMBER_NAMES,
  NUMBERS,
  type NumberName,
} from './draft.ts';

type Settings = Schemas['AgentSettings'];

const FIELDS = [
  ...(['provider', 'base_url', 'model', 'api_key', 'retention_days'] as const),
  ...(['limits.steps', 'limits.seconds', 'limits.tokens_per_turn', 'limits.tokens_per_day'] as const),
];
type FieldName = (typeof FIELDS)[number];

function agentSettingsQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['agent_settings'],
    queryFn: () => take(client.http.GET('/api/agent/settings')),
  });
}

export type AgentEditor = ReturnType<typeof createAgentEditor>;

/** The state of the form: what is typed stays until it is saved. */
export function createAgentEditor() {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const query = useQuery(() => agentSettingsQuery(client));
  const saving = createAttempt();
  const testing = createAttempt();
  const [changes, setChanges] = createSignal<Partial<AgentDraft>>({});
  const [saved, setSaved] = createSignal(false);
  const [result, setResult] = createSignal<Schemas['AgentTest']>();
  const [models, setModels] = createSignal<readonly string[]>([]);
  const refused = createFormErrors<FieldName>(() => saving.error() ?? testing.error(), {
    fields: () => FIELDS,
    fieldOf: (code) => (code === 'credential_required' ? 'api_key' : undefined),
  });
  const draft = createMemo(
    (): AgentDraft | undefined => query.data && { ...draftOf(query.data), ...changes() },
  );

  function forget(): void {
    setSaved(false);
    setResult(undefined);
    saving.forget();
    testing.forget();
  }
  /** Runs the work with the stored settings and the draft; does nothing before they are loaded. */
  async function attempt(
    work: (stored: Settings, typed: AgentDraft) => Promise<void>,
    by = saving,
  ): Promise<boolean> {
    const [stored, typed] = [query.data, draft()];
    if (!stored || !typed) return false;
    forget();
    return by.run(() => work(stored, typed));
  }

  return {
    query,
    draft,
    dirty: () => Object.keys(changes()).length > 0,
    blocked: () => NUMBER_NAMES.some((name) => !isWithin(name, draft()?.[name] ?? '')),
    busy: saving.busy,
    testing: testing.busy,
    saved,
    result,
    /** The models that the last test found. */
    models,
    /** Chooses a model that was found; the result of the test stays. */
    pick(model: string): void {
      setSaved(false);
      setChanges((before) => ({ ...before, model }));
    },
    save_error: () => (saving.error() ? refused.error() : undefined),
    test_error: () => (saving.error() ? undefined : refused.error()),
    errorAt: refused.errorAt,
    numberError(name: NumberName): string | undefined {
      if (!isWithin(name, draft()?.[name] ?? '')) return t('setting_between', NUMBERS[name]);
      return refused.errorAt(name === 'retention_days' ? name : `limits.${name}`);
    },
    /** The stored key is for another provider or host. */
    loses_key(): boolean {
      const [stored, typed] = [query.data, draft()];
      return stored !== undefined && typed !== undefined && stored.has_key && !keepsKey(typed, stored);
    },
    set(change: Partial<AgentDraft>): void {
      forget();
      setChanges((before) => ({ ...before, ...change }));
    },
    /** An address and a model belong to one provider. */
    choose(provider: AgentDraft['provider']): void {
      forget();
      setModels([]);
      const stored = query.data?.provider ?? provider; // while it is off, nobody knows whose address is stored
      const is_stored = provider === 'off' || provider === stored;
      setChanges(({ base_url: _url, model: _model, ...before }) =>
        is_stored ? { ...before, provider } : { ...before, provider, base_url: '', model: '' },
      );
    },
    discard(): void {
      forget();
      setChanges({});
    },
    save: () =>
      attempt(async (stored, typed) => {
        const body = inputOf(typed, stored);
        queries.setQueryData(
          agentSettingsQuery(client).queryKey,
          await take(client.http.PUT('/api/agent/settings', { body })),
        );
        await queries.invalidateQueries({ queryKey: AGENT_STATUS_KEY });
        setChanges({});
        setSaved(true);
      }),
    test: () =>
      attempt(async (stored, typed) => {
        const body = addressOf(typed, stored);
        const tested = await take(client.http.POST('/api/agent/settings/test', { body }));
        setModels(tested.models);
        setResult(tested);
      }, testing),
  };
}
