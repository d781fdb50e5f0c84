/** The code of a system error, such as `ENOENT`, or of a library's error; undefined when it has none. */
export function codeOf(error: unknown): string | number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? code : undefined;
}
