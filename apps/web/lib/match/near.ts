const LONGEST = 64; // characters; nobody mistypes one letter of a sentence

/** The known name that was probably meant by one that is not known; undefined where none is close. */
export function nearName(typed: string, known: readonly string[]): string | undefined {
  const wanted = typed.trim();
  if (wanted === '' || wanted.length > LONGEST || known.includes(wanted)) return undefined;
  const most = wanted.length <= 4 ? 1 : 2;
  let best: string | undefined;
  let best_distance = most + 1;
  for (const name of known) {
    if (name === '' || Math.abs(name.length - wanted.length) > most || isSeries(name, wanted)) continue;
    const distance = editDistance(name.toLowerCase(), wanted.toLowerCase());
    if (distance < best_distance) [best, best_distance] = [name, distance];
  }
  return best;
}

/** `web1` and `web2` are two names, not one and a mistake. */
function isSeries(a: string, b: string): boolean {
  const withoutDigits = (name: string) => name.replace(/\d+/g, '0');
  return a.toLowerCase() !== b.toLowerCase() && withoutDigits(a) === withoutDigits(b);
}

/** Letters to insert, remove, replace or swap with their neighbor (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const is_swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = is_swapped ? at(i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
