import type { TextKey, Translate } from '../../i18n/languages.ts';
import { once, type QueryKey, toValues } from '../query-bar/keys.ts';
import { excludedOf, periodOf, type Query, valuesOf } from '../query-bar/read.ts';
import { timeKeys } from '../query-bar/times.ts';
import { hasWords } from './order.ts';

/** Filters the rows of a table by a query. */
export interface RowFilter<T> {
  readonly label: TextKey;
  readonly keys: (rows: readonly T[]) => readonly QueryKey[];
  /** The test of a row. */
  readonly matches: (query: Query) => (row: T) => boolean;
  /** Shown when no row matches. */
  readonly none: string;
  /** The parameter of the page's address that keeps the query, on a screen with several tables. */
  readonly param?: string;
}

/** A key whose values come from the rows. */
export interface RowKey<T> {
  readonly key: string;
  readonly label: TextKey;
  readonly of: (row: T) => readonly string[];
  /** All possible values, also those that no row has now. */
  readonly all?: readonly string[];
  /** The name of a value. */
  readonly nameOf?: (value: string) => string;
}

interface Options<T> {
  /** The texts of a row that words can match. */
  readonly textsOf: (row: T) => readonly string[];
  readonly keys?: readonly RowKey<T>[];
  /** The time of a row that `since:` and `until:` compare. */
  readonly timeOf?: (row: T) => string | null | undefined;
  readonly label?: TextKey;
  readonly none?: string;
  readonly param?: string;
}

/** Finds the rows whose texts contain all words and whose values match the tokens. */
export function rowFilter<T>(t: Translate, options: Options<T>): RowFilter<T> {
  const { textsOf, keys = [], timeOf, label = 'table_filter', none = t('no_match'), param } = options;
  return {
    label,
    none,
    ...(param === undefined ? {} : { param }),
    keys: (rows) => [...keys.map((key) => queryKeyOf(key, rows)), ...(timeOf ? timeKeys(t) : [])],
    matches(query) {
      const words = query.words.join(' ');
      const tests = keys.flatMap((key) => testsOf(key, query));
      const { since = '', until = '9' } = periodOf(query);
      const isWithin = (row: T) => {
        const at = timeOf?.(row) ?? '';
        return at >= since && at < until;
      };
      return (row) =>
        tests.every((isMet) => isMet(row)) &&
        (since === '' && until === '9' ? true : isWithin(row)) &&
        (words === '' || hasWords(textsOf(row), words));
    },
  };
}

function queryKeyOf<T>({ key, label, of, all = [], nameOf }: RowKey<T>, rows: readonly T[]): QueryKey {
  const values = once(() =>
    toValues([...all, ...rows.flatMap((row) => [...of(row)])]).map(({ value }) =>
      nameOf ? { value, label: nameOf(value) } : { value },
    ),
  );
  return { key, label, values, is_many: true, can_exclude: true };
}

/** A row matches with any of the values of a key, and with none of those left out. */
function testsOf<T>({ key, of }: RowKey<T>, query: Query): ((row: T) => boolean)[] {
  const [wanted, excluded] = [valuesOf(query, key), excludedOf(query, key)];
  const has = (row: T, values: readonly string[]) => of(row).some((value) => values.includes(value));
  return [
    ...(wanted.length > 0 ? [(row: T) => has(row, wanted)] : []),
    ...(excluded.length > 0 ? [(row: T) => !has(row, excluded)] : []),
  ];
}
