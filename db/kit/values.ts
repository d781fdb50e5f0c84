/** The only format of an instant, `2026-01-02T03:04:05.678Z`, so that text sorts by time on SQLite. */
export function toInstant(value: string): string {
  return new Date(value).toISOString();
}

/** PostgreSQL rejects NUL, and lone surrogates in JSON; both dialects store U+FFFD instead, to behave alike. */
export function toStorableText(value: string): string {
  return value.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD'); // with `u`, only lone surrogates match
}

export function toStorableJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? toStorableText(part) : part,
  );
}
