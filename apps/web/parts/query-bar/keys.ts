import type { TextKey } from '../../i18n/languages.ts';

export interface QueryValue {
  readonly value: string;
  /** Its name in the user's language. */
  readonly label?: string;
}

/** What a list can be asked for, such as `user:`. */
export interface QueryKey {
  readonly key: string;
  readonly label: TextKey;
  /** A day or time instead of one of the values. */
  readonly is_time?: boolean;
  /** The known values; undefined while they load. */
  readonly values?: () => readonly QueryValue[] | undefined;
  /** Other values than the known ones are possible. */
  readonly is_open?: boolean;
  /** Several values may be asked for. */
  readonly is_many?: boolean;
  /** `-key:value` is possible. */
  readonly can_exclude?: boolean;
}

/** Values that are their own names. */
export function toValues(values: Iterable<string>): readonly QueryValue[] {
  return [...new Set(values)].filter((value) => value !== '').map((value) => ({ value }));
}

/** Values that are collected when they are first wanted. */
export function once(collect: () => readonly QueryValue[]): () => readonly QueryValue[] {
  let known: readonly QueryValue[] | undefined;
  return () => {
    known ??= collect();
    return known;
  };
}
