const CHUNK = 500; // SQLite allows 32,766 values per statement, and a row has up to 20

export function inChunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, i) =>
    items.slice(i * CHUNK, (i + 1) * CHUNK),
  );
}

/** Runs a statement for each chunk and returns all rows together. */
export async function forChunks<Item, Row>(
  items: readonly Item[],
  select: (part: Item[]) => PromiseLike<Row[]>,
): Promise<Row[]> {
  return (await Promise.all(inChunks(items).map(select))).flat();
}
