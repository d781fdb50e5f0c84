/** Parses a decimal TCP port; undefined when invalid. */
export function readPort(text: string): number | undefined {
  if (!/^\+?\d{1,10}$/.test(text)) return undefined;
  const port = Number(text);
  return port >= 1 && port <= 65_535 ? port : undefined;
}
