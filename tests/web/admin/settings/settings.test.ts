import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../../apps/core/model/settings/setting.ts';
import { groupSettings } from '../../../../apps/web/admin/settings/groups.ts';
import { actsAt } from '../../../../apps/web/admin/settings/retention.ts';
import {
  complaintOf,
  type Setting,
  shownOf,
  touch,
  valuesOf,
} from '../../../../apps/web/admin/settings/settings.ts';
import { CATALOGUES, translateTo } from '../../../support/texts.ts';

const timeout: Setting = {
  key: 'monitor_timeout',
  kind: 'integer',
  unit: 'seconds',
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
      const t = translateTo(language);
      const keys = Object.entries(SETTINGS).flatMap(([key, spec]) => [
        `setting_${key}`,
        `setting_${key}_text`,
        ...('choices' in spec ? spec.choices.map((choice) => `setting_${key}_${choice}`) : []),
      ]);
      expect(keys.filter((key) => t.optional(key) === undefined)).toEqual([]);
    },
  );

  it('shows what was typed, else the value in force', () => {
    expect([shownOf(timeout, {}), shownOf(timeout, { monitor_timeout: '' })]).toEqual(['5 s', '']);
  });

  it('counts a setting as unchanged once it is typed back', () => {
    const draft = touch({}, timeout, '7 s');
    expect(draft).toEqual({ monitor_timeout: '7 s' });
    expect(touch(draft, timeout, '5s')).toEqual({});
    expect(touch(draft, timeout, '5 seconds')).toEqual({});
  });

  it('sends only the changed settings, with the right types', () => {
    const draft = { monitor_timeout: ' 7 s ', quick_connect: false };
    expect(valuesOf([timeout, quick], draft)).toEqual({ monitor_timeout: 7, quick_connect: false });
    expect(valuesOf([timeout, quick], {})).toEqual({});
  });

  it.each(['', 'x', '1.5', '-1', '0', '601 s', '1e2', '11 min'])(
    'refuses %j as a time of 1 s to 10 min',
    (typed) => {
      const values = { min: '1 s', max: '10 min' };
      expect(complaintOf(timeout, typed)).toEqual({ text: 'setting_time', values });
    },
  );

  it('refuses a bare number with the units that it could mean', () => {
    const values = { first: '90 s', second: '90 min' };
    expect(complaintOf(timeout, '90')).toEqual({ text: 'setting_unit', values });
  });

  it('shows each setting in one group', () => {
    const settings = Object.keys(SETTINGS).map((key) => ({ ...timeout, key: key as Setting['key'] }));
    const shown = groupSettings(settings).flatMap((group) => group.settings.map(({ key }) => key));
    expect(shown.toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
  });

  it('says when an audit limit begins to act, until it does', () => {
    const limit = { key: 'audit_retention_days', value: 30 } as const;
    const at = (detail: string, hours: number) =>
      actsAt([{ detail, created_at: '2026-01-01T00:00:00.000Z' }], limit, Date.UTC(2026, 0, 1, hours));
    const detail = 'audit_retention_days: 30, audit_max_entries: 0';
    expect(at(detail, 1)).toBe('2026-01-02T00:00:00.000Z');
    expect([at(detail, 25), at('audit_retention_days: 300', 1), at('audit_max_entries: 30', 1)]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });

  it('accepts what the registry allows', () => {
    expect([
      complaintOf(timeout, '600 s'),
      complaintOf(timeout, undefined),
      complaintOf(quick, false),
    ]).toEqual([...[undefined, undefined, undefined]]);
  });
});
