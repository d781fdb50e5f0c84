const CHUNK = 500; // SQLite takes 32,766 values in one statement, and a row has up to 20

export function inChunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, i) =>
    items.slice(i * CHUNK, (i + 1) * CHUNK),
  );
}

/** What the statements for all parts of the list return together. */
export async function forChunks<Item, Row>(
  items: readonly Item[],
  select: (part: Item[]) => PromiseLike<Row[]>,
): Promise<Row[]> {
  return (await Promise.all(inChunks(items).map(select))).flat();
}
