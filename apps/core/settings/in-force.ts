import { createLimiter } from '../lib/concurrency/limiter.ts';
import {
  isSettingKey,
  SETTING_KEYS,
  type SettingKey,
  type SettingValues,
  settingComplaint,
} from '../model/settings/setting.ts';
import type { StoredSetting } from '../ports/repositories/settings.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Log } from '../ports/runtime.ts';

/** The settings this process uses: stored values override the environment and defaults, unless settings are locked. */
export interface SettingsInForce {
  readonly values: Readonly<SettingValues>;
  /** Values that administrators have set; none while settings are locked. */
  readonly stored: Readonly<Partial<SettingValues>>;
  refresh(): Promise<void>;
  /** Writes and reloads; `changed` lists the settings whose value is different afterwards. */
  change<T>(write: () => Promise<T>): Promise<{ written: T; changed: SettingKey[] }>;
  /** Runs when a value changes. */
  onChange(run: () => void): void;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'settings'>;
  readonly log: Log;
}

interface Options {
  readonly setting_values: Readonly<SettingValues>;
  readonly config_locked: boolean;
}

export function createSettingsInForce(
  deps: Deps,
  { setting_values: without_admin, config_locked }: Options,
): SettingsInForce {
  const readStored = config_locked ? async () => ({}) : createReading(deps);
  // An older read must not overwrite a newer one.
  const oneAtATime = createLimiter(1);
  const listeners = new Set<() => void>();
  let stored: SettingsInForce['stored'] = {};
  let values = without_admin;

  async function takeUp(): Promise<SettingKey[]> {
    const before = values;
    stored = await readStored();
    values = { ...without_admin, ...stored };
    const changed = SETTING_KEYS.filter((key) => values[key] !== before[key]);
    if (changed.length > 0) for (const run of listeners) run();
    return changed;
  }

  return {
    get values() {
      return values;
    },
    get stored() {
      return stored;
    },
    refresh: async () => void (await oneAtATime(takeUp)),
    change: (write) =>
      oneAtATime(async () => {
        await takeUp();
        const written = await write();
        return { written, changed: await takeUp() };
      }),
    onChange: (run) => void listeners.add(run),
  };
}

/** Ignores invalid rows, left by another version or edited by hand, and logs each once. */
function createReading({ repositories, log }: Deps): () => Promise<SettingsInForce['stored']> {
  let told = new Set<string>();
  return async () => {
    const rows = await repositories.settings.all();
    const ignored = new Map(rows.flatMap((row) => complaintOf(row) ?? []));
    for (const [key, reason] of ignored) {
      if (!told.has(key)) log.warn({ key, reason }, 'A stored setting is ignored');
    }
    told = new Set(ignored.keys());
    const fitting = rows.filter(({ key }) => !ignored.has(key));
    return Object.fromEntries(fitting.map(({ key, value }) => [key, value]));
  };
}

function complaintOf({ key, value }: StoredSetting): [[string, string]] | undefined {
  const reason = isSettingKey(key) ? settingComplaint(key, value) : 'This version does not have this setting';
  return reason === undefined ? undefined : [[key, reason]];
}
