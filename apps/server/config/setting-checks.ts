import type { z } from 'zod';
import {
  SETTINGS,
  type SettingSpec,
  type SettingValue,
  type SettingVariable,
} from '#core/model/settings/setting.ts';
import { SHARED } from './shared-variables.ts';
import { flag, integer, oneOf } from './values.ts';

/** The check of each setting's variable, derived from the settings registry. */
export function settingChecks(): Record<SettingVariable, z.ZodType<SettingValue>> {
  const checks = Object.values(SETTINGS).map((spec) => [spec.variable, checkOf(spec)]);
  return Object.fromEntries(checks) as Record<SettingVariable, z.ZodType<SettingValue>>;
}

function checkOf(spec: SettingSpec): z.ZodType<SettingValue> {
  switch (spec.kind) {
    case 'integer':
      return integer(spec.min, spec.max, spec.or_zero).default(spec.default);
    case 'boolean':
      return flag().default(spec.default);
    case 'choice':
      return oneOf(...spec.choices).default(spec.default);
    case 'origins':
      return SHARED[spec.variable].transform((sources) => sources.join(', '));
  }
}
