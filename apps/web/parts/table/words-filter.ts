import type { Translate } from '../../i18n/languages.ts';
import { hasWords } from './order.ts';
import type { RowFilter } from './table.tsx';

/** Finds the rows whose texts contain all typed words. */
export function wordsFilter<T>(t: Translate, textsOf: (row: T) => readonly string[]): RowFilter<T> {
  return {
    label: 'table_filter',
    matches: (text) => (row) => hasWords(textsOf(row), text),
    none: t('no_match'),
  };
}
