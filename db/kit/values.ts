/** The one spelling of a moment, `2026-01-02T03:04:05.678Z`, so that text sorts as time on SQLite. */
export function toInstant(value: string): string {
  return new Date(value).toISOString();
}

/** PostgreSQL refuses NUL, and in JSON half a surrogate pair too; both dialects keep U+FFFD instead, to answer alike. */
export function toStorableText(value: string): string {
  return value.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD'); // with `u`, a whole pair is not a surrogate
}

export function toStorableJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? toStorableText(part) : part,
  );
}
