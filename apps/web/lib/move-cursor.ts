/** The index a navigation key moves a list's cursor to; undefined for any other key. */
export function moveCursor(key: string, at: number, count: number, page: number): number | undefined {
  const last = count - 1;
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  };
  const target = targets[key];
  return target === undefined || count === 0 ? undefined : Math.max(0, Math.min(last, target));
}
