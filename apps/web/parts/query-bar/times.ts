import type { Translate } from '../../i18n/languages.ts';
import type { QueryKey } from './keys.ts';

/** `since:` and `until:`, by words or by a day of the calendar. */
export function timeKeys(t: Translate): readonly QueryKey[] {
  const values = () => [
    { value: 'today', label: t('query_today') },
    { value: 'yesterday', label: t('query_yesterday') },
    { value: '7d', label: t('query_7d') },
    { value: '30d', label: t('query_30d') },
  ];
  return [
    { key: 'since', label: 'since', is_time: true, values },
    { key: 'until', label: 'until', is_time: true, values },
  ];
}
