import { orRecorded } from '../audit/outcome.ts';
import { limitsDetail } from '../audit/retention/limits.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault, type FieldError } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import {
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
  type SettingList,
  type SettingSpec,
  type SettingsInput,
  type SettingValues,
  settingComplaint,
} from '../model/settings/setting.ts';
import { assertMay } from '../policy/account.ts';
import type { SettingRow } from '../ports/repositories/settings.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { createSettingsInForce, type SettingsInForce } from './in-force.ts';

/** Settings that administrators can change at run time. */
export interface Settings {
  /** Current values; read them each time, because they change. */
  readonly values: Readonly<SettingValues>;
  /** Values that administrators have set. */
  readonly stored: Readonly<Partial<SettingValues>>;
  list(caller: Caller): Promise<SettingList>;
  /** All or nothing; returns the settings whose value changed. */
  update(caller: Caller, values: SettingsInput['values']): Promise<SettingKey[]>;
  /** Returns the settings that had been set. */
  reset(caller: Caller, keys: readonly SettingKey[]): Promise<SettingKey[]>;
  /** Reads the stored settings: before the first request, and when another instance may have changed them. */
  refresh(): Promise<void>;
  /** Runs when a value changes. */
  onChange(run: () => void): void;
}

export interface SettingOptions {
  /** Values without a stored setting. */
  readonly setting_values: Readonly<SettingValues>;
  /** Settings that the environment sets. */
  readonly settings_in_environment: ReadonlySet<SettingKey>;
  /** `SERVICE_CONFIG_LOCKED`. */
  readonly config_locked: boolean;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'settings'>;
  readonly trail: AuditTrail;
  readonly background: Background;
  readonly clock: Clock;
  readonly log: Log;
}

export function createSettings(deps: Deps, options: SettingOptions): Settings {
  const { repositories, trail, background, clock } = deps;
  const { config_locked: locked } = options;
  const in_force = createSettingsInForce(deps, options);

  function assertMayChange(caller: Caller): void {
    assertMay(caller, 'administer_confirmed');
    if (locked) throw new Fault('config_locked');
  }

  async function recordLimits(caller: Caller, values: Parameters<typeof limitsDetail>[0]): Promise<void> {
    const detail = limitsDetail(values);
    if (detail) await trail.record(caller, 'audit_limits', detail);
  }

  return {
    get values() {
      return in_force.values;
    },

    get stored() {
      return in_force.stored;
    },

    async list(caller) {
      assertMay(caller, 'read_administration');
      await in_force.refresh();
      return { locked, settings: SETTING_KEYS.map((key) => entryOf(key, in_force, options)) };
    },

    async update(caller, values) {
      assertMayChange(caller);
      const rows = fitting(values);
      const record = (ending: string) =>
        trail.record(caller, 'settings_update', `${named(rows.map(({ key }) => key))}${ending}`);
      const { changed } = await in_force.change(async () => {
        const at = clock.now().toISOString();
        await orRecorded(repositories.settings.save(rows, at), background, record);
        await record(''); // first: the change is stored even if what follows fails
        await recordLimits(caller, values);
      });
      return changed.filter((key) => values[key] !== undefined);
    },

    async reset(caller, keys) {
      assertMayChange(caller);
      const record = (cleared: readonly SettingKey[], ending: string) =>
        trail.record(caller, 'settings_reset', `${named(cleared)}${ending}`);
      const { written } = await in_force.change(async () => {
        const removal = repositories.settings.remove(keys);
        const removed = await orRecorded(removal, background, (ending) => record(keys, ending));
        const cleared = SETTING_KEYS.filter((key) => removed.includes(key));
        await record(cleared, '');
        await recordLimits(
          caller,
          Object.fromEntries(cleared.map((key) => [key, options.setting_values[key]])),
        );
        return cleared;
      });
      return written;
    },

    refresh: in_force.refresh,
    onChange: in_force.onChange,
  };
}

function entryOf(key: SettingKey, in_force: SettingsInForce, options: SettingOptions): Setting {
  const source = options.settings_in_environment.has(key) ? 'environment' : 'default';
  return {
    key,
    value: in_force.values[key],
    source: in_force.stored[key] === undefined ? source : 'admin',
    default: options.setting_values[key],
    ...shapeOf(SETTINGS[key]),
  };
}

function shapeOf(spec: SettingSpec) {
  const { kind, variable, help } = spec;
  if (spec.kind === 'integer') {
    const { unit, min, max, or_zero } = spec;
    return { kind, unit, min, max, ...(or_zero ? { or_zero } : {}), variable, help };
  }
  return { kind, ...(spec.kind === 'choice' ? { choices: [...spec.choices] } : {}), variable, help };
}

function fitting(values: SettingsInput['values']): SettingRow[] {
  const rows = SETTING_KEYS.flatMap((key): SettingRow[] => {
    const value = values[key];
    return value === undefined ? [] : [{ key, value }];
  });
  const errors = rows.flatMap(({ key, value }): FieldError[] => {
    const message = settingComplaint(key, value);
    return message === undefined ? [] : [{ path: `values.${key}`, message }];
  });
  const [first] = errors;
  if (first) throw new Fault('validation', `${first.path}: ${first.message}`, { errors });
  return rows;
}

function named(keys: readonly SettingKey[]): string {
  return keys.join(', ') || 'nothing';
}
