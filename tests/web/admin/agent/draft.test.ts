import { describe, expect, it } from 'vitest';
import type { Schemas } from '#client/client.ts';
import { addressOf, draftOf, inputOf, isWithin, keepsKey } from '../../../../apps/web/admin/agent/draft.ts';

const stored: Schemas['AgentSettings'] = {
  provider: 'openrouter',
  base_url: '',
  model: 'some/model',
  allow_private_address: false,
  has_key: true,
  is_unreadable: false,
  limits: { steps: 12, seconds: 180, tokens_per_turn: 100_000, tokens_per_day: 0 },
  retention_days: 30,
};
const draft = draftOf(stored);

describe('the agent’s settings', () => {
  it('are sent as they were, without the key, if nothing was typed', () => {
    const { has_key, is_unreadable, ...rest } = stored;
    expect(inputOf(draft, stored)).toEqual(rest);
  });

  it.each([
    ['is kept while it is not typed', {}, undefined],
    ['is kept for another path of its host', { base_url: 'https://openrouter.ai/v2' }, undefined],
    ['is kept while the agent is off', { provider: 'off' }, undefined],
    ['is replaced', { api_key: ' sk-1 ' }, 'sk-1'],
    ['is cleared', { forget_key: true }, ''],
    ['is not sent to another host', { base_url: 'https://models.example/v1' }, ''],
    ['is not sent to another provider', { provider: 'ollama' }, ''],
    ['is replaced for another provider', { provider: 'anthropic', api_key: 'sk-2' }, 'sk-2'],
  ] as const)('have a key that %s', (_how, change, key) => {
    expect(addressOf({ ...draft, ...change }, stored).api_key).toBe(key);
  });

  it('leave it to the gateway whose key it kept while the agent was off', () => {
    const off = { ...stored, provider: null };
    expect(addressOf({ ...draftOf(off), provider: 'ollama' }, off)).not.toHaveProperty('api_key');
  });

  it('have no key to keep if none is stored', () => {
    const without = { ...stored, has_key: false };
    expect(keepsKey(draft, without)).toBe(false);
    expect(addressOf({ ...draft, provider: 'ollama' }, without)).not.toHaveProperty('api_key');
  });

  it('switch the agent off', () => {
    expect(inputOf({ ...draft, provider: 'off' }, stored).provider).toBeNull();
  });

  it('take whole numbers within the gateway’s bounds', () => {
    expect(['1', ' 50 '].map((typed) => isWithin('steps', typed))).toEqual([true, true]);
    expect(['0', '51', '', '1.5', '1e1', 'x'].filter((typed) => isWithin('steps', typed))).toEqual([]);
    expect(isWithin('tokens_per_day', '0')).toBe(true);
  });
});
