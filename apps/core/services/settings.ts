import type { Caller } from '../model/caller.ts';
import type { SettingKey, SettingList, SettingsInput, SettingValues } from '../model/setting.ts';
import { assertAdmin } from '../policy/account.ts';

/** What administrators may set while it runs. */
export interface Settings {
  /** In force now; read it each time it matters. */
  readonly values: Readonly<SettingValues>;
  list(caller: Caller): Promise<SettingList>;
  update(caller: Caller, values: SettingsInput['values']): Promise<SettingKey[]>;
  reset(caller: Caller, keys: readonly SettingKey[]): Promise<SettingKey[]>;
  /** Reads what is stored; before the first request, and then whenever another instance may have changed it. */
  refresh(): Promise<void>;
}

interface Deps {
  /** Of the environment. */
  readonly environment: Readonly<SettingValues>;
}

export function createSettings({ environment }: Deps): Settings {
  return {
    values: environment,
    list: async (caller) => {
      assertAdmin(caller);
      return { locked: false, settings: [] };
    },
    update: async (caller) => {
      assertAdmin(caller);
      return [];
    },
    reset: async (caller) => {
      assertAdmin(caller);
      return [];
    },
    refresh: async () => undefined,
  };
}
