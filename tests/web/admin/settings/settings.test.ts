import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../../apps/core/model/setting.ts';
import {
  complaintOf,
  type Setting,
  shownOf,
  touch,
  valuesOf,
} from '../../../../apps/web/admin/settings/settings.ts';
import { CATALOGUES, createTranslate } from '../../../../apps/web/i18n/languages.ts';

const timeout: Setting = {
  key: 'monitor_timeout',
  kind: 'integer',
  value: 5,
  default: 5,
  source: 'default',
  min: 1,
  max: 600,
  variable: 'SERVICE_MONITOR_TIMEOUT',
  help: 'Seconds',
};
const quick: Setting = { ...timeout, key: 'quick_connect', kind: 'boolean', value: true, default: true };

describe('the settings page', () => {
  it.each(Object.keys(CATALOGUES) as (keyof typeof CATALOGUES)[])(
    'has a name and a description for each setting in %s',
    (language) => {
      const t = createTranslate(() => language);
      const keys = Object.entries(SETTINGS).flatMap(([key, spec]) => [
        `setting_${key}`,
        `setting_${key}_text`,
        ...('choices' in spec ? spec.choices.map((choice) => `setting_${key}_${choice}`) : []),
      ]);
      expect(keys.filter((key) => t.optional(key) === undefined)).toEqual([]);
    },
  );

  it('shows what was typed, else the value in force', () => {
    expect([shownOf(timeout, {}), shownOf(timeout, { monitor_timeout: '' })]).toEqual(['5', '']);
  });

  it('counts a setting as unchanged once it is typed back', () => {
    const draft = touch({}, timeout, '7');
    expect(draft).toEqual({ monitor_timeout: '7' });
    expect(touch(draft, timeout, '5')).toEqual({});
  });

  it('sends only the changed settings, with the right types', () => {
    const draft = { monitor_timeout: ' 7 ', quick_connect: false };
    expect(valuesOf([timeout, quick], draft)).toEqual({ monitor_timeout: 7, quick_connect: false });
    expect(valuesOf([timeout, quick], {})).toEqual({});
  });

  it.each(['', 'x', '1.5', '-1', '0', '601', '1e2'])('refuses %j as a number from 1 to 600', (typed) => {
    expect(complaintOf(timeout, typed)).toEqual({ text: 'setting_between', values: { min: 1, max: 600 } });
  });

  it('accepts what the registry allows', () => {
    expect([complaintOf(timeout, '600'), complaintOf(timeout, undefined), complaintOf(quick, false)]).toEqual(
      [...[undefined, undefined, undefined]],
    );
  });
});
