/** The one spelling of a moment, `2026-01-02T03:04:05.678Z`, so that text sorts as time on SQLite. */
export function toInstant(value: string): string {
  return new Date(value).toISOString();
}

/** PostgreSQL refuses NUL in text; both dialects keep U+FFFD in its place, so that they answer alike. */
export function toStorableText(value: string): string {
  return value.replaceAll('\0', '\uFFFD');
}

export function toStorableJson(values: readonly string[]): string {
  return JSON.stringify(values.map(toStorableText));
}
