import type { TextKey } from '../../i18n/languages.ts';

export interface QueryValue {
  readonly value: string;
  /** Its name in the user's language. */
  readonly label?: string;
}

/** A key that finds rows of a list, such as `user:`. */
export interface QueryKey {
  readonly key: string;
  readonly label: TextKey;
  /** Takes a day or time. */
  readonly is_time?: boolean;
  /** The known values; undefined while they load. */
  readonly values?: () => readonly QueryValue[] | undefined;
  /** Takes other values than the known ones. */
  readonly is_open?: boolean;
  /** Takes several values. */
  readonly is_many?: boolean;
  /** Takes `-key:value`. */
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
