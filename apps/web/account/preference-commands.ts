import type { App } from '../app/context.ts';
import {
  CHOICES,
  CLIPBOARD_RULES,
  type PreferenceValues,
  SCROLLBACK_ROWS,
  TOGGLES,
} from '../app/preferences.ts';
import { formatNumber } from '../lib/format.ts';
import type { Command } from '../workspace/commands/command.ts';

/** Each value that a terminal preference could take instead. */
export function preferenceCommands({ t, preferences }: Pick<App, 't' | 'preferences'>): Command[] {
  const { values, set } = preferences;
  const hint = t('preferences');
  const choose = <K extends keyof PreferenceValues>(name: K, value: PreferenceValues[K], title: string) =>
    values[name] === value ? [] : [{ title, hint, run: () => set(name, value) }];
  return [
    ...CHOICES.flatMap(({ name, values: choices }) =>
      choices.flatMap((value) =>
        choose(name, value, `${t(name)}: ${t.optional(`${name}_${value}`) ?? value}`),
      ),
    ),
    ...SCROLLBACK_ROWS.flatMap((rows) =>
      choose('scrollback_rows', rows, `${t('scrollback_rows')}: ${formatNumber(rows, values.language)}`),
    ),
    ...CLIPBOARD_RULES.flatMap((rule) =>
      choose('clipboard', rule, `${t('clipboard_rule')}: ${t(`clipboard_rule_${rule}`)}`),
    ),
    ...TOGGLES.map((name) => ({
      title: t(values[name] ? 'turn_off' : 'turn_on', { name: t(name) }),
      hint,
      run: () => set(name, !values[name]),
    })),
  ];
}
